"""Records NCCL's all-reduce between nodes that are simulated on one GPU, for whybits to predict.

    python3 record_nccl_nodes.py FOLDER [SECONDS]

starts eight processes on the first CUDA device. Each has its own NCCL_HOSTID, so that NCCL takes
it for a node with one rank and lets it talk through sockets, here those of the loopback. For 2 to 8
of them, by Ring and Tree, LL, LL128 and Simple, with one, two and the default number of channels,
messages of three types are added out of place and in place; all ranks must have the same bits both
times. Masked pairs (docs/allreduce.md, "Revealing a tree") show every element's tree.

Writes a recording a message (docs/recordings.md), reveal-*.json with what masked pairs gave, and
log.jsonl: NCCL's own words on rings, trees and choices, times, and whatever was refused or hung.
All is on disk as soon as it is known. Stops after SECONDS (140). The processes share the GPU in
turns, so that a call takes 10 to 200 ms. Needs torch with NCCL, and xxhash.
"""

import base64
import ctypes
import datetime
import json
import multiprocessing
import os
import re
import signal
import sys
import tempfile
import time

KINDS = {"f32": ("float32", 7), "bf16": ("bfloat16", 9), "f16": ("float16", 6)}  # ncclDataType_t
COUNTS = (1, 3, 100, 1000, 4099, 65541, 300001)
FEW_COUNTS = (1000, 65541, 300001)
KEPT = 4100  # elements; of larger messages a recording keeps the hash
RANKS = (4, 3, 5, 8, 2, 6, 7)  # in the order of what is wanted most, if time runs out
MOST = max(RANKS)
BASE = {"NCCL_NET": "Socket", "NCCL_SOCKET_IFNAME": "lo", "NCCL_IB_DISABLE": "1",
        "NCCL_NVLS_ENABLE": "0"}
MASK, UNIT = 2.0**100, 1.0  # beside which a unit vanishes in f32
POISON = -7.0
PATIENCE = 15  # seconds that one answer may take
TOLD = re.compile(r"Trees \[|Channel \d+/\d+ :|AllReduce: |LL128|nNodes|WARN|coll channels|"
                  r"Algorithm|Max NThreads|\bAllReduce\b|set by environment|Using network|"
                  r"NCCL version|Pattern|[Tt]hreshold")


class UniqueId(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_byte * 128)]


class Rank:
    """One rank: a process, a communicator at a time. Methods are called by name from the parent."""

    def __init__(self, rank, log):
        import torch
        self.torch, self.rank, self.log, self.read = torch, rank, log, 0
        self.comm = ctypes.c_void_p()
        self.streams = {}
        torch.cuda.set_device(0)
        self.nccl = ctypes.CDLL("libnccl.so.2")
        self.nccl.ncclGetErrorString.restype = ctypes.c_char_p
        self.nccl.ncclGetLastError.restype = ctypes.c_char_p

    def check(self, code, call):
        if code != 0:
            text = self.nccl.ncclGetErrorString(code).decode()
            last = (self.nccl.ncclGetLastError(None) or b"").decode(errors="replace")
            raise RuntimeError(f"{call}: {text}; {last}")

    def about(self):
        torch, version = self.torch, ctypes.c_int()
        self.check(self.nccl.ncclGetVersion(ctypes.byref(version)), "ncclGetVersion")
        code = version.value
        major, minor = torch.cuda.get_device_capability()
        return {"device": torch.cuda.get_device_name(), "cuda": torch.version.cuda,
                "compute_capability": f"{major}.{minor}", "torch": torch.__version__,
                "nccl": f"{code // 10000}.{code // 100 % 100}.{code % 100}"}

    def unique_id(self, settings):
        os.environ.update(settings)
        made = UniqueId()
        self.check(self.nccl.ncclGetUniqueId(ctypes.byref(made)), "ncclGetUniqueId")
        return bytes(made)

    def connect(self, unique_id, ranks, settings):
        for name in ("NCCL_ALGO", "NCCL_PROTO"):  # read anew by every communicator
            os.environ.pop(name, None)
        os.environ.update(settings)
        self.check(self.nccl.ncclCommInitRank(
            ctypes.byref(self.comm), ctypes.c_int(ranks), UniqueId.from_buffer_copy(unique_id),
            ctypes.c_int(self.rank)), "ncclCommInitRank")

    def disconnect(self):
        comm, self.comm = self.comm, ctypes.c_void_p()
        self.check(self.nccl.ncclCommDestroy(comm), "ncclCommDestroy")

    def told(self):
        """What NCCL logged since the last time, without host and process."""
        if not os.path.exists(self.log):
            return []
        with open(self.log, errors="replace") as file:
            file.seek(self.read)
            lines = file.read().splitlines()
            self.read = file.tell()
        return [re.sub(r"^\S+ \[\d+\] ", "", line) for line in lines if TOLD.search(line)]

    def add(self, send, receive, kind):
        stream = self.torch.cuda.current_stream().cuda_stream
        self.check(self.nccl.ncclAllReduce(
            ctypes.c_void_p(send.data_ptr()), ctypes.c_void_p(receive.data_ptr()),
            ctypes.c_size_t(send.numel()), ctypes.c_int(KINDS[kind][1]), ctypes.c_int(0), self.comm,
            ctypes.c_void_p(stream)), "ncclAllReduce")
        self.torch.cuda.synchronize()
        return receive

    def input(self, kind, count, seed):
        """A beginning of a stream, of which the longest is kept."""
        from record_torch_ops import stream
        if (kind, seed) not in self.streams:
            self.streams[kind, seed] = stream(self.torch, f"uniform:{seed + self.rank}",
                                              (max(COUNTS),), getattr(self.torch, KINDS[kind][0]))
        return self.streams[kind, seed][:count].clone()

    def reduce(self, kind, count, seed):
        """Bytes after a call out of place; whether a second one, in place, gives the same."""
        send = self.input(kind, count, seed)
        out = self.add(send, self.torch.full_like(send, POISON), kind)
        again = self.add(send, send, kind)
        words = words_of(out)
        return digest(words), words == words_of(again), words if self.rank == 0 else b""

    def probe(self, count, i, j):
        """Units that are left of +M on rank i, −M on rank j and a unit everywhere else."""
        value = {i: MASK, j: -MASK}.get(self.rank, UNIT)
        send = self.torch.full((count,), value, dtype=self.torch.float32, device="cuda")
        out = self.add(send, self.torch.full_like(send, POISON), "f32")
        known = (out >= 0) & (out <= MOST) & (out == out.floor())
        left = self.torch.where(known, out, self.torch.full_like(out, 255.0))
        words = words_of(left.to(self.torch.uint8))
        return digest(words), words if self.rank == 0 else b""


def words_of(tensor):
    kept = tensor.detach().cpu().contiguous()
    return ctypes.string_at(kept.data_ptr(), kept.numel() * kept.element_size())


def digest(words):
    import xxhash
    return xxhash.xxh3_128_hexdigest(words)


def serve(pipe, make, rank, log, settings):
    """A rank's process: environment, then commands until there are no more. Ends with its parent."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    for name in [name for name in os.environ if name.startswith("NCCL_")]:
        del os.environ[name]
    os.environ.update(settings, NCCL_HOSTID=f"node{rank}", NCCL_DEBUG="INFO", NCCL_DEBUG_FILE=log,
                      NCCL_DEBUG_SUBSYS="INIT,GRAPH,TUNING,ENV")
    served = None
    while True:
        try:
            command, arguments = pipe.recv()
        except EOFError:
            return
        try:
            if served is None:
                served = make(rank, log)
            pipe.send((True, getattr(served, command)(*arguments)))
        except Exception as error:  # whatever it is, the parent writes it down
            pipe.send((False, f"{type(error).__name__}: {error}"))


class Refused(Exception):
    """NCCL or the device said no; the processes still answer."""


class Hung(Exception):
    """A rank did not answer in time, or is gone."""


class Nodes:
    """Processes of all ranks with one environment; a group of the first few is asked at a time."""

    def __init__(self, settings, folder, make=Rank):
        self.settings, self.folder, self.make, self.started = dict(BASE, **settings), folder, make, []

    def start(self):
        if self.started:
            return
        fork = multiprocessing.get_context("fork")
        logs = tempfile.mkdtemp(dir=self.folder, prefix="part-")
        for rank in range(MOST):
            here, there = fork.Pipe()
            process = fork.Process(target=serve, daemon=True, args=(
                there, self.make, rank, os.path.join(logs, f"{rank}.log"), self.settings))
            process.start()
            there.close()
            self.started.append((process, here))
        self.logs = logs

    def ask(self, ranks, command, *arguments, patience=PATIENCE):
        """Answers of all ranks, in order."""
        self.start()
        for _, pipe in self.started[:ranks]:
            pipe.send((command, arguments))
        until, answers = time.monotonic() + patience, []
        for rank, (_, pipe) in enumerate(self.started[:ranks]):
            try:
                if not pipe.poll(max(0.0, until - time.monotonic())):
                    raise Hung(f"{command}: rank {rank} of {ranks} gives no answer")
                answers.append(pipe.recv())
            except (EOFError, OSError):
                raise Hung(f"{command}: rank {rank} of {ranks} is gone") from None
        refusals = sorted({text for good, text in answers if not good})
        if refusals:
            raise Refused(f"{command}: " + " | ".join(refusals))
        return [answer for _, answer in answers]

    def kill(self):
        for process, pipe in self.started:
            pipe.close()
            if process.is_alive():
                os.kill(process.pid, signal.SIGKILL)
            process.join()
        if self.started:
            for name in os.listdir(self.logs):
                os.remove(os.path.join(self.logs, name))
            os.rmdir(self.logs)
        self.started = []


class Book:
    """Where everything is written at once."""

    def __init__(self, folder, seconds):
        self.folder, self.begun, self.seconds, self.files = folder, time.monotonic(), seconds, 0
        self.source = self.version = None
        self.log = open(os.path.join(folder, "log.jsonl"), "w")

    def over(self):
        return time.monotonic() - self.begun > self.seconds

    def note(self, **facts):
        facts["at"] = round(time.monotonic() - self.begun, 2)
        self.log.write(json.dumps(facts) + "\n")
        self.log.flush()

    def write(self, name, document):
        path = os.path.join(self.folder, name)
        with open(path + ".part", "w") as file:
            file.write(json.dumps(document, indent=1) + "\n")
        os.replace(path + ".part", path)
        self.files += 1


def driver():
    try:
        with open("/proc/driver/nvidia/version") as file:
            found = re.search(r"\b\d+\.\d+(\.\d+)?\b", file.read())
            return found.group(0) if found else "unknown"
    except OSError:
        return "unknown"


def introduce(nodes, book):
    about = nodes.ask(1, "about", patience=90)[0]
    book.version, torch_version = about.pop("nccl"), about.pop("torch")
    book.source = dict(about, driver=driver(), command="scripts/record_nccl_nodes.py",
                       date=str(datetime.datetime.now(datetime.timezone.utc).date()))
    book.note(source=book.source, nccl=book.version, torch=torch_version)


def recording(book, settings, ranks, count, kind, seed, output):
    return {"whybits_recording": 1, "source": book.source,
            "library": {"name": "nccl", "version": book.version},
            "settings": settings, "kernel": "nccl.all_reduce", "guarantee": "run_to_run",
            "computation": "all_reduce",
            "shape": {"ranks": ranks, "ranks_per_node": 1, "count": count},
            "types": {"a": kind, "accumulate": kind, "out": kind},
            "inputs": {f"rank{r}": f"uniform:{seed + r}" for r in range(ranks)}, "output": output}


def message(nodes, book, name, settings, ranks, count, kind):
    seed = 1
    answers = nodes.ask(ranks, "reduce", kind, count, seed)
    ranks_equal = len({hashed for hashed, _, _ in answers}) == 1
    repeats_equal = all(same for _, same, _ in answers)
    hashed, _, words = answers[0]
    output = {"xxh3_128": hashed}
    if count <= KEPT:
        output["bits"] = {"base64": base64.b64encode(words).decode()}
    if ranks_equal and repeats_equal:
        book.write(f"nodes-{name}-{kind}-n{ranks}-count{count}.json",
                   recording(book, settings, ranks, count, kind, seed, output))
    else:
        book.note(case=name, ranks=ranks, count=count, kind=kind, ranks_equal=ranks_equal,
                  repeats_equal=repeats_equal)


def regions(rows):
    """Runs of elements with equal columns, [begin, end, column]."""
    found = []
    for at, column in enumerate(zip(*rows)):
        if found and found[-1][2] == column:
            found[-1][1] = at + 1
        else:
            found.append([at, at + 1, column])
    return found


def reveal(nodes, book, name, settings, ranks, count):
    """For every run of elements, per pair (0,1), (0,2), … the leaves below where the two meet."""
    rows = []
    for i in range(ranks):
        for j in range(i + 1, ranks):
            answers = nodes.ask(ranks, "probe", count, i, j)
            if len({hashed for hashed, _ in answers}) != 1:
                book.note(case=name, ranks=ranks, probe=[i, j], ranks_equal=False)
            rows.append(answers[0][1])
    found = [{"begin": begin, "end": end, "leaves": [ranks - left for left in column]}
             for begin, end, column in regions(rows)]
    book.note(case=name, ranks=ranks, revealed=len(found), count=count)
    book.write(f"reveal-{name}-f32-n{ranks}-count{count}.json",
               {"source": book.source, "library": {"name": "nccl", "version": book.version},
                "settings": settings, "shape": {"ranks": ranks, "ranks_per_node": 1, "count": count},
                "type": "f32", "pairs": "(0,1), (0,2), ... (1,2), ...", "regions": found[:4000]})


def case(nodes, book, name, chosen, ranks, counts, reveal_counts):
    """One communicator and all its messages."""
    settings = dict(nodes.settings, **chosen)
    kinds = list(KINDS)
    try:
        begun = time.monotonic()
        unique_id = nodes.ask(1, "unique_id", chosen)[0]
        nodes.ask(ranks, "connect", unique_id, ranks, chosen)
        book.note(case=name, ranks=ranks, connected=round(time.monotonic() - begun, 2))
        for rank, lines in enumerate(nodes.ask(ranks, "told")):
            # all of rank 0, of the others their places in the trees
            kept = lines if rank == 0 else [line for line in lines if "Trees" in line]
            book.note(case=name, ranks=ranks, rank=rank, told=kept[:80])
        for count in reveal_counts:
            if not book.over():
                reveal(nodes, book, name, settings, ranks, count)
        nodes.ask(ranks, "told")
        for at, count in enumerate(counts):
            for kind in kinds if count == 1000 else [kinds[(at + ranks) % len(kinds)]]:
                if not book.over():
                    message(nodes, book, name, settings, ranks, count, kind)
        told = nodes.ask(ranks, "told")[0]
        book.note(case=name, ranks=ranks, chose=sorted({line.split("NCCL INFO ")[-1]
                                                        for line in told})[:40])
        nodes.ask(ranks, "disconnect")
        book.note(case=name, ranks=ranks, seconds=round(time.monotonic() - begun, 2))
    except (Refused, Hung) as error:
        lines = []
        try:
            lines = nodes.ask(ranks, "told", patience=2) if isinstance(error, Refused) else []
        except (Refused, Hung):
            pass
        book.note(case=name, ranks=ranks, failed=str(error), told=[line[-20:] for line in lines])
        print(f"{name}, {ranks} nodes: {error}", file=sys.stderr)
        nodes.kill()


def chosen(algorithm, protocol):
    return {"NCCL_ALGO": algorithm, "NCCL_PROTO": protocol}


def run(folder, seconds, make=Rank):
    book = Book(folder, seconds)
    free = Nodes({}, folder, make)
    fixed = {n: Nodes({"NCCL_MIN_NCHANNELS": str(n), "NCCL_MAX_NCHANNELS": str(n)}, folder, make)
             for n in (1, 2)}
    cases = []  # nodes, name, choice, ranks, counts, what is revealed
    for a in ("Tree", "Ring"):
        cases += [(free, f"{a}-Simple", chosen(a, "Simple"), n, COUNTS, (65541,)) for n in RANKS]
    cases += [(free, "default", {}, n, COUNTS, ()) for n in RANKS]
    for a in ("Tree", "Ring"):
        cases += [(free, f"{a}-LL", chosen(a, "LL"), n, COUNTS, (65541,)) for n in RANKS]
    for channels, nodes in fixed.items():
        cases += [(nodes, f"ch{channels}-{a}-{p}", chosen(a, p), n, FEW_COUNTS, ())
                  for n in RANKS[:4] for a, p in (("Tree", "Simple"), ("Ring", "LL"))]
    for a in ("Tree", "Ring"):
        cases += [(free, f"{a}-LL128", chosen(a, "LL128"), n, FEW_COUNTS, ()) for n in RANKS]
    cases += [(nodes, f"ch{channels}-{a}-{p}", chosen(a, p), n, FEW_COUNTS, ())
              for channels, nodes in fixed.items() for n in RANKS[4:]
              for a, p in (("Tree", "Simple"), ("Ring", "LL"))]
    try:
        introduce(free, book)
        for one in cases:
            if book.over():
                book.note(left_out=[one[1], one[3]])
            else:
                case(one[0], book, *one[1:])
    except (Refused, Hung) as error:
        book.note(failed=str(error))
        print(f"nothing can be recorded here: {error}", file=sys.stderr)
    finally:
        for nodes in (free, *fixed.values()):
            nodes.kill()
    print(f"{folder}: {book.files} files, {time.monotonic() - book.begun:.0f} s", file=sys.stderr)
    return 0 if book.files else 1


def main(folder, seconds):
    import torch  # noqa: F401, before the processes are forked, so that it is loaded once
    os.makedirs(folder, exist_ok=True)
    return run(folder, seconds)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(main(sys.argv[1], float(sys.argv[2]) if len(sys.argv) == 3 else 140.0))

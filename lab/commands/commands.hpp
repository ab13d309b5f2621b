// The commands of `whybits`. Each function adds one to the command line.
#pragma once

#include <ostream>

#include "lab/commands/command.hpp"

namespace whybits {

/// What a command writes to, and the exit code it leaves: 0 as asked, 1 bits differ, 2 bad input
/// or usage, 3 needed device or library not present.
struct CommandContext {
  int exit_code = 0;
  std::ostream& out;
  std::ostream& err;
  bool colour = false;
};

void add_bits_command(Command app, CommandContext& context);
/// add, sub, mul, fma, div, sqrt and convert.
void add_arithmetic_commands(Command app, CommandContext& context);
/// A special function of a GPU.
void add_special_command(Command app, CommandContext& context);
void add_show_command(Command app, CommandContext& context);
void add_gemm_command(Command app, CommandContext& context);
void add_sum_command(Command app, CommandContext& context);
void add_rmsnorm_command(Command app, CommandContext& context);
void add_layernorm_command(Command app, CommandContext& context);
void add_softmax_command(Command app, CommandContext& context);
void add_attention_command(Command app, CommandContext& context);
/// combine and route.
void add_moe_command(Command app, CommandContext& context);
void add_allreduce_command(Command app, CommandContext& context);
void add_tensor_parallel_command(Command app, CommandContext& context);
/// A decoder block in batches of two sizes.
void add_decoder_command(Command app, CommandContext& context);
/// A subcommand a library.
void add_predict_command(Command app, CommandContext& context);
/// A subcommand a computation.
void add_gates_command(Command app, CommandContext& context);
void add_compare_command(Command app, CommandContext& context);
void add_verify_command(Command app, CommandContext& context);
void add_explain_command(Command app, CommandContext& context);
void add_probe_command(Command app, CommandContext& context);
void add_kernels_command(Command app, CommandContext& context);
void add_record_command(Command app, CommandContext& context);
void add_record_nccl_command(Command app, CommandContext& context);
void add_info_command(Command app, CommandContext& context);
void add_completion_command(Command app, CommandContext& context);
/// Hidden: prints the table of docs/formats.md.
void add_format_table_command(Command app, CommandContext& context);
/// Every command, in the order of the help text.
void add_all_commands(Command app, CommandContext& context);

}  // namespace whybits

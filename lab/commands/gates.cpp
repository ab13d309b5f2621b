#include "lab/commands/commands.hpp"
#include "lab/commands/gates_allreduce.hpp"
#include "lab/commands/gates_gemm.hpp"
#include "lab/commands/gates_rows.hpp"

namespace whybits {

void add_gates_command(Command app, CommandContext& context) {
  Command command =
      app.add_subcommand("gates", "Along the batch: where the topology changes, and bits with it");
  command->require_subcommand(1);
  add_gates_gemm(command, context);
  add_gates_sum(command, context);
  add_gates_rmsnorm(command, context);
  add_gates_softmax(command, context);
  add_gates_attention(command, context);
  add_gates_allreduce(command, context);
}

}  // namespace whybits

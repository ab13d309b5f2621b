#include "lab/commands/commands.hpp"
#include "lab/commands/predict_libraries.hpp"

namespace whybits {

void add_predict_command(Command app, CommandContext& context) {
  Command command =
      app.add_subcommand("predict", "What a library computes: its choice, the rule, the topology");
  command->require_subcommand(1);
  add_predict_cublaslt(command, context);
  add_predict_nccl(command, context);
}

}  // namespace whybits

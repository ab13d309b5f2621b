#include "lab/commands/commands.hpp"

namespace whybits {

void add_all_commands(Command app, CommandContext& context) {
  add_bits_command(app, context);
  add_arithmetic_commands(app, context);
  add_special_command(app, context);
  add_show_command(app, context);
  add_gemm_command(app, context);
  add_sum_command(app, context);
  add_rmsnorm_command(app, context);
  add_layernorm_command(app, context);
  add_softmax_command(app, context);
  add_attention_command(app, context);
  add_moe_command(app, context);
  add_allreduce_command(app, context);
  add_tensor_parallel_command(app, context);
  add_decoder_command(app, context);
  add_compare_command(app, context);
  add_verify_command(app, context);
  add_predict_command(app, context);
  add_gates_command(app, context);
  add_explain_command(app, context);
  add_probe_command(app, context);
  add_kernels_command(app, context);
  add_record_command(app, context);
  add_record_nccl_command(app, context);
  add_info_command(app, context);
  add_format_table_command(app, context);
  add_completion_command(app, context);
}

}  // namespace whybits

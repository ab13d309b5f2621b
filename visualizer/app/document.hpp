// What the program works on: one session with its history, and the results that its scenes show,
// computed in the background.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "visualizer/model/pair_result.hpp"
#include "visualizer/model/session.hpp"
#include "visualizer/model/undo.hpp"
#include "visualizer/model/worker.hpp"
#include "visualizer/scenes/bits/bits_model.hpp"

namespace whybits::viz {

class Document {
 public:
  /// `wake` is called from other threads when a result is ready.
  explicit Document(const std::function<void()>& wake = {});

  const Session& session() const { return history_.present(); }
  const SceneState& state() const { return session().state; }
  std::string_view scene() const { return scene_name(state()); }

  /// The next state; calls with the same gesture are one entry of undo.
  void change(SceneState next, const std::string& gesture = {});
  void settle() { history_.settle(); }
  void open(Session session);
  /// The scene as it was left, or as it opens first.
  void switch_scene(std::string_view scene);
  bool undo();
  bool redo();
  bool can_undo() const { return history_.can_undo(); }
  bool can_redo() const { return history_.can_redo(); }

  /// Of the scenes with two computations: the newest result, maybe of an older state.
  std::shared_ptr<const PairResult> pair() const;
  const BitsResult& bits() const { return bits_; }
  WorkProgress progress() const;
  bool current() const;
  void wait() const;  ///< until the result is that of the state

 private:
  void ask();

  History<Session> history_;
  std::map<std::string, Session, std::less<>> left_;  ///< scenes as they were left
  Worker<GemmState, PairResult> gemm_;
  Worker<SumState, PairResult> sum_;
  SceneState asked_;
  BitsResult bits_;
};

}  // namespace whybits::viz

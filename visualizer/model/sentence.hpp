// "Why this output differs", made from divergence and ledger, never canned; and where nothing
// differs, why not.
#pragma once

#include <vector>

#include "lab/study.hpp"
#include "visualizer/model/phrase.hpp"

namespace whybits::viz {

/// Up to four phrases, most telling first: where A and B part, who lost how much, what the last
/// rounding made of it, who is right.
std::vector<Phrase> explain_output(const OutputStory& story);

/// Of a whole comparison: how many differ; or that nothing can differ because the trees are one,
/// or that nothing does although the trees differ, and what the last rounding has to do with it.
std::vector<Phrase> explain_comparison(const Study& study);

}  // namespace whybits::viz

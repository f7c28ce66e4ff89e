# Where each public name lives; `howgood.lazy` reads this too.
from howgood.decide.acceptability import acceptance as acceptance
from howgood.decide.acceptability import best_application as best_application
from howgood.decide.acceptability import gate as gate
from howgood.decide.acceptability import target as target
from howgood.decide.acceptability import trade_off as trade_off
from howgood.decide.grades import rank_grades as rank_grades
from howgood.decide.planning import go_live as go_live
from howgood.decide.planning import study_size as study_size
from howgood.decide.ranking import rank as rank
from howgood.decide.ranking import rank_sums as rank_sums
from howgood.decide.ratings import rank_ratings as rank_ratings
from howgood.decide.thresholds import positive_scores as positive_scores
from howgood.decide.thresholds import threshold as threshold
from howgood.records.ranking import Needed as Needed
from howgood.records.ranking import Ordering as Ordering
from howgood.records.ranking import Ranking as Ranking

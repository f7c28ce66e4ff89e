"""What the study builder asks: a question with an example for every key, words for every choice.

In: a record and the name of a key. Out: question and help, or what a choice is called. Absent: the
form (`shape`), and study files, whose keys are documented in `docs/reference/study-files.md`.
"""

from collections.abc import Iterator, Mapping

from howgood.ask.sentences import languages, sentence
from howgood.learn.elicitation.family_registry import FAMILIES

# Record and key -> what is asked, and an example or a word of help.
QUESTIONS: Mapping[str, tuple[str, str]] = {
    "_Frame.title": ("What is the study called?", "People see it, for example: A smart alarm"),
    "_Frame.language": ("Which language do buttons and fixed sentences speak?", ""),
    "_Frame.introduction": (
        "What is it about?",
        "On the first page: what you want to know, and how long it takes",
    ),
    "_Frame.consent": ("Consent", "What people agree to before anything else"),
    "_Frame.notes": ("Notes to yourself", "Never shown to people"),
    "_Frame.demographics": ("Questions before the task", "Nobody has to answer"),
    "_Frame.closing": ("Questions after the task", "Nobody has to answer"),
    "_Frame.blocks": ("Questions in random order", "Groups whose order is drawn for each person"),
    "_Frame.screen_outs": ("Who cannot take part?", "By their answers, such as age below 18"),
    "_Frame.quotas": ("How many people of each sort do you want?", "By their answers"),
    "_Frame.endings": ("Other endings", "What people see who are screened out or come too late"),
    "_Frame.completion": ("The end", "What people see when they have finished"),
    "_Frame.recruitment": (
        "Where do people come from?",
        "The participant id of that platform is kept with the answers",
    ),
    "_Frame.draw": (
        "Is there a draw to say thank you?",
        "Who finishes may leave an address, on a list that cannot be joined to answers",
    ),
    "Draw.text": ("What can be won, and how are the winners drawn?", ""),
    "Draw.prizes": ("How many people win?", ""),
    "_Frame.framed_by": (
        "Which sites may show the study inside a frame?",
        "One https address per line (empty: none)",
    ),
    "_Frame.quota": ("How many people do you want?", "For example 50; empty: no limit"),
    "_Frame.idle_minutes": (
        "After how many quiet minutes does somebody count as dropped out?",
        "For example 120",
    ),
    "_Frame.allow_back": (
        "People may go back and change an answer",
        "What they said first is kept too",
    ),
    "_Frame.pilot": ("This is a test run: keep the answers out of the data", ""),
    "Consent.text": ("What do people agree to?", "Voluntary, how to stop, what happens to answers"),
    "Consent.mirror": (
        "Ask whether a facilitator may see their pages",
        "For sessions where somebody sits next to them and takes notes",
    ),
    "Consent.contact": ("Whom can they ask?", "For example: Jane Doe, jane@example.org"),
    "Completion.text": ("What do you say at the end?", "For example: Thank you for your time"),
    "Completion.code": ("Which code do they need?", "Recruiting platforms give you one: C1A2B3"),
    "Completion.redirect": (
        "Which address takes them back?",
        "The platform's completion link; {code} and {participant} are filled in",
    ),
    "Question.key": ("Name of its column in the data", "For example: age"),
    "Question.text": ("What do you ask?", "For example: How old are you?"),
    "Question.type": ("How do people answer?", ""),
    "Question.options": ("What can they choose?", ""),
    "Question.scale": ("Labels of the scale, lowest first", "One per line"),
    "Question.minimum": ("Smallest number allowed", "For example 18"),
    "Question.maximum": ("Largest number allowed", "For example 120"),
    "Question.help": ("A line in small print", ""),
    "Option.key": ("Name in the data", ""),
    "Option.text": ("What people read", ""),
    "Item.key": ("Name of its column in the data", ""),
    "Item.text": ("The statement people rate", "For example: I would find it acceptable"),
    "SurveyPlan.applications": ("Applications", "The systems whose accuracy people judge"),
    "SurveyApplication.key": ("Name in the data", "For example: alarm"),
    "SurveyApplication.name": ("What is the system called?", "For example: A smart alarm"),
    "SurveyApplication.description": (
        "What does it do for people?",
        "A few sentences, as you would tell a neighbour",
    ),
    "SurveyApplication.phrases": (
        "What happens in a situation?",
        "{n} becomes the number, {real} how often it really happened, {time|times} one or many",
    ),
    "SurveyApplication.picture": ("A picture, film, sound or mock-up of it", ""),
    "SurveyApplication.stimuli": (
        "More to see or hear",
        "Pictures, films, sounds and mock-ups, with the description or with one situation",
    ),
    "SurveyApplication.storyboard": (
        "Show them as a story in numbered steps",
        "Those that come with the description",
    ),
    "SurveyApplication.show_if": (
        "Who judges it?",
        "Only people whose answers before the task fit all of these; left empty: everybody",
    ),
    "Stimulus.picture": ("Picture, film, sound or mock-up (one HTML file)", ""),
    "Stimulus.text": ("What do people read below it?", ""),
    "Stimulus.scenario": ("Which situation does it belong to?", "Its number; empty: all of them"),
    "Stimulus.level": ("Which interface does it belong to?", "Its name; empty: all of them"),
    "SurveyPlan.interface": (
        "Do you compare interfaces?",
        "The same accuracy, shown in different ways, for instance with and without certainty",
    ),
    "InterfaceFactor.levels": ("The interfaces", "Compared with the first one"),
    "InterfaceFactor.varied": (
        "Who sees which interface?",
        "within: everybody sees all of them in turn; between: each person sees one",
    ),
    "InterfaceLevel.key": ("Name in the data", "For example: certainty"),
    "InterfaceLevel.text": ("What do people read about it?", "With every situation"),
    "SurveyPlan.precision": (
        "How reliable are its alarms? (levels of precision)",
        "One per line: 1/2 means every second alarm is right",
    ),
    "SurveyPlan.recall": (
        "How much does it notice? (levels of recall)",
        "One per line: 2/3 means it notices two of three",
    ),
    "SurveyPlan.real_positives": (
        "How often does the thing really happen in a situation?",
        "For example 10 times",
    ),
    "SurveyPlan.cases": (
        "How many occasions are there in all?",
        "For example 30 days; empty: quiet times are not mentioned",
    ),
    "SurveyPlan.per_application": (
        "How many situations does each person judge per application?",
        "For example 8 of 16, drawn at random; empty: all of them",
    ),
    "SurveyPlan.applications_each": (
        "How many applications does each person judge?",
        "For example 2 of your 4, drawn at random; empty: all of them",
    ),
    "SurveyPlan.items": (
        "What do people rate?",
        "Left empty: the three published statements (acceptable, useful, would use it)",
    ),
    "SurveyPlan.ease_of_use": ("Also ask about ease of use", "A fourth published statement"),
    "SurveyPlan.battery": (
        "Which questionnaire?",
        "tam2 asks three statements each about usefulness, ease of use, output quality, intention",
    ),
    "SurveyPlan.scale": (
        "Labels of the scale, lowest first",
        "One per line; empty: extremely unlikely to extremely likely",
    ),
    "SurveyPlan.branches": (
        "Do groups of people see different applications?",
        "Left empty: everybody sees every application",
    ),
    "SurveyPlan.attention": (
        "Attention checks",
        "Questions whose text says the answer; who fails is left out",
    ),
    "SurveyPlan.micro_task": ("Each person judges one situation only", "For paid micro tasks"),
    "SurveyPlan.real": (
        "Do you also ask about systems people already use?",
        "Asked before the imagined situations",
    ),
    "AttentionCheck.text": ("The instruction", "For example: Please choose “quite unlikely” here"),
    "AttentionCheck.answer": ("Which point of the scale passes, from 1?", "For example 2"),
    "Branch.applications": ("Which applications does this group see?", "Their names in the data"),
    "Branch.quota": ("How many people at most?", ""),
    "ReratingPlan.question": ("What do you ask about every item?", "How much do you like it?"),
    "ReratingPlan.scale": ("Labels of the scale, lowest first", "One per line"),
    "ReratingPlan.rounds": ("How often does everybody rate each item?", "For example 5"),
    "ReratingPlan.delay_minutes": (
        "How many minutes lie between rounds?",
        "0: at once; 1440: a day",
    ),
    "ReratingPlan.instructions": ("What do people read before the first round?", ""),
    "ReratingPlan.items": ("Items", "What is rated"),
    "ComparisonPlan.task": ("What do the systems do, and why do they err?", "Before practice"),
    "ComparisonPlan.question": ("What do you ask above every pair?", ""),
    "ComparisonPlan.words": ("The words of the flow chart", ""),
    "ComparisonPlan.practice": ("Begin with practice questions", ""),
    "ComparisonPlan.queries": ("How many pairs at most?", "For example 25"),
    "ComparisonPlan.checks": ("How many pairs with a plainly better side?", "They show care"),
    "ComparisonPlan.repeats": ("How many pairs are asked again, sides swapped?", ""),
    "ComparisonPlan.costs": ("What does each error mean for people?", ""),
    "ComparisonPlan.direct": ("Do people also say the weight themselves?", "Before, after, both"),
    "ComparisonPlan.bars_on_demand": (
        "Offer the same numbers as bars below each pair",
        "How often and how long they are open is exported",
    ),
    "ComparisonPlan.interview": ("Ask the six published questions at the end", ""),
    "Picture.alternative": ("What does it show?", "For those who cannot see it"),
    # Rules, blocks, endings.
    "Consent.purpose": (
        "What are the answers used for?",
        "One sentence, for example: to decide how accurate the alarm has to be",
    ),
    "Option.picture": ("A picture above the text", ""),
    "Question.unit": ("In which unit?", "For example: kg"),
    "Question.required": ("People cannot go on without an answer", ""),
    "Question.show_if": (
        "Who is asked this?",
        "Only people whose earlier answers fit all of these; left empty: everybody",
    ),
    "Question.block": ("Which random block does it belong to?", "The block's name; empty: none"),
    "Question.new_page": ("Begin a new page with it", ""),
    "Question.shuffle_options": ("Show the options in random order", ""),
    "Question.low": ("What does the left end say?", "For example: not at all"),
    "Question.high": ("What does the right end say?", "For example: completely"),
    "Question.step": ("How far are two points apart?", "For example 1"),
    "Question.earliest": ("First day allowed", "Like 2026-01-31"),
    "Question.latest": ("Last day allowed", "Like 2026-12-31"),
    "Question.rows": ("What is rated, a row each?", ""),
    "Question.total": ("What do the numbers have to add up to?", "For example 100"),
    "Rule.question": ("Which earlier question?", "The name of its column in the data"),
    "Rule.any_of": (
        "Which answers fit?",
        "One per line: names of options in the data, points of a scale, or text",
    ),
    "Rule.none_of": ("Which answers do not fit?", "One per line; all others fit"),
    "Rule.at_least": ("From which number on?", "For example 18"),
    "Rule.at_most": ("Up to which number?", "For example 65"),
    "Rule.answered": ("There has to be an answer at all", ""),
    "RandomBlock.key": ("Name of the block", "Questions give it as theirs, for example: habits"),
    "RandomBlock.show": (
        "How many of its questions does each person see?",
        "Drawn at random; empty: all of them",
    ),
    "ScreenOut.key": ("Name in the data", "For example: too_young"),
    "ScreenOut.when": ("Whom does it concern?", "All of these have to hold"),
    "ScreenOut.text": ("Why can they not take part?", "In words for them"),
    "AnswerQuota.key": ("Name in the data", "For example: young_people"),
    "AnswerQuota.when": ("Whom does it count?", "All of these have to hold"),
    "AnswerQuota.people": ("How many people at most?", "For example 20"),
    "Endings.declined": ("Who does not agree", ""),
    "Endings.screened_out": ("Who cannot take part", ""),
    "Endings.full": ("Who comes when the quota is full", ""),
    "Endings.failed_checks": ("Who finishes and failed an attention check", ""),
    "Ending.text": ("What do they read?", ""),
    "Ending.code": ("Which code do they get?", ""),
    "Ending.redirect": (
        "Which address takes them on?",
        "An https address; {code} and {participant} are filled in",
    ),
    "Branch.key": ("Name of the group in the data", "For example: owners"),
    "AttentionCheck.key": ("Name in the data", "For example: care"),
    "RealPart.question": ("How do you ask which of the systems they use?", ""),
    "RealPart.systems": ("Systems to choose from", ""),
    "RealPart.items": ("Statements about each system they use", ""),
    "RealPart.scale": (
        "Labels of the scale, lowest first",
        "One per line; empty: strongly disagree to strongly agree",
    ),
    "RealSystem.key": ("Name in the data", ""),
    "RealSystem.name": ("What do people call it?", ""),
    "RealSystem.application": (
        "Which application is it?",
        "For example: alarm; empty where there is only one",
    ),
    "RealSystem.accuracy": (
        "How accurate is it really?",
        "A line per statement: its name, a colon, precision and recall, such as today: 0.8, 0.7",
    ),
    # Comparisons.
    "ComparisonPlan.matrices": (
        "Which systems are compared?",
        "At least 3, or name a table or a file of scores below",
    ),
    "ComparisonPlan.table": (
        "File with the systems instead",
        "A row each, with the columns of the systems above",
    ),
    "ComparisonPlan.scores": (
        "Make the systems from a classifier's scores",
        "Out of 100, 1,000 or 10,000 cases: the first that shows 10 of the rarer class",
    ),
    "ScoresFile.file": ("Which file?", "CSV or Parquet"),
    "ScoresFile.truth": ("Which column holds what was true, 0 or 1?", "For example: y_true"),
    "ScoresFile.score": ("Which column holds the scores, from 0 to 1?", "For example: y_score"),
    "ErrorCosts.miss": ("What a miss means", ""),
    "ErrorCosts.alarm": ("What a false alarm means", ""),
    "CostOfError.health": ("For their health", ""),
    "CostOfError.money": ("For their money", ""),
    "CostOfError.time": ("For their time", ""),
    "CostOfError.feelings": ("For how they feel", ""),
    "ComparisonPlan.algorithm": ("How is the next pair chosen?", ""),
    "ComparisonPlan.families": (
        "Which kinds of metric may people have in mind?",
        f"One per line: {', '.join(FAMILIES)}",
    ),
    "ComparisonPlan.rule": ("By which rule does the bisection shrink?", ""),
    "ComparisonPlan.tolerance": ("Where does the bisection stop?", "For example 0.05"),
    "ComparisonPlan.evaluation": (
        "How many pairs are kept back to test the result?",
        "They come at the end and are not learned from, for example 15",
    ),
    "ComparisonPlan.bar_chart": ("Show bars below the flow chart", ""),
    # Repeated ratings.
    "RatedItem.key": ("Name in the data", "For example: lighthouse"),
    "RatedItem.text": ("What do people read?", "Left empty: the picture alone"),
    "RatedItem.picture": ("A picture of it", ""),
    # Criteria.
    "CriteriaPlan.task": ("What is to be chosen, and for what?", "Before the first pair"),
    "CriteriaPlan.question": ("What do you ask above every pair?", "Which would you choose?"),
    "CriteriaPlan.queries": ("How many pairs at most?", "For example 20"),
    "CriteriaPlan.checks": ("How many pairs with a plainly better side?", "They show care"),
    "CriteriaPlan.evaluation": (
        "How many pairs are kept back to test the result?",
        "They come at the end and are not learned from",
    ),
    "CriteriaPlan.imagined": (
        "Also ask about imagined options",
        "They differ in two criteria only, which makes questions easier",
    ),
    "CriteriaPlan.until": (
        "When do the questions end?",
        "At the latest after as many pairs as you allow",
    ),
    "CriteriaPlan.common_unit": (
        "All criteria are counted in the same unit",
        "Such as cases or percent: weights are then of that unit, not of each criterion's range",
    ),
    "CriteriaPlan.table": (
        "File with the alternatives instead",
        "A row each: a column of names, one per criterion, perhaps its standard deviation "
        "(quality_sd)",
    ),
    "CriteriaPlan.outcomes": (
        "Or what a classifier does on each class, or in each group",
        "Instead of criteria and alternatives",
    ),
    "CriteriaPlan.measures": ("Criteria", "What the options differ in, from 2 to 8"),
    "CriteriaPlan.alternatives": ("Alternatives", "What can be chosen, at least 2"),
    "OutcomesFile.file": ("Which file?", "CSV or Parquet"),
    "OutcomesFile.truth": ("Which column holds the true labels?", ""),
    "OutcomesFile.classes": (
        "Which columns hold the probability of each class?",
        "One per line; asks what a right answer on each class is worth",
    ),
    "OutcomesFile.score": ("Which column holds the scores, from 0 to 1?", "With groups only"),
    "OutcomesFile.group": (
        "Which column holds the group?",
        "Asks how much gaps between groups count",
    ),
    "OutcomesFile.positive": ("Which label counts as positive?", "With groups only"),
    "Measure.key": ("Name in the data", "Also its column in a table, for example: quality"),
    "Measure.text": ("What do people read?", "For example: Right answers"),
    "Measure.direction": ("Which is better?", ""),
    "Measure.unit": ("In which unit?", "Shown behind the number, for example: %"),
    "Measure.scale": (
        "Do differences or ratios count?",
        "Ratios, as of prices: from 1 to 2 is as much as from 2 to 4",
    ),
    "Candidate.key": ("Name in the data", "Participants never see it"),
    "Candidate.scores": ("How good is it?", "A line per criterion, in the same order"),
    "Candidate.sds": (
        "How uncertain are these numbers?",
        "Standard deviations, a line per criterion; empty: exact",
    ),
    # Kinds of failure.
    "FailuresPlan.name": ("What is the feature called?", "For example: Answers in the help pages"),
    "FailuresPlan.description": ("What does it do for people?", ""),
    "FailuresPlan.out_of": ("Of how many answers does a situation speak?", "For example 20"),
    "FailuresPlan.per_person": ("How many situations does each person judge?", "At most 8"),
    "FailuresPlan.levels": (
        "How often may a failure happen?",
        "One per line; empty: 0, 1, 2 and 4 of 20",
    ),
    "FailuresPlan.right": ("What do you say about right answers?", "Empty: 17 were right"),
    "FailuresPlan.opening": (
        "What stands above the counts?",
        "{n} is how many; empty: Of 20 answers",
    ),
    "FailuresPlan.question": ("Which statement do people rate?", "Empty: I would use it"),
    "FailuresPlan.scale": (
        "Labels of the scale, lowest first",
        "One per line; empty: extremely unlikely to extremely likely",
    ),
    "FailuresPlan.picture": ("A picture of it", "Shown with the description"),
    "FailuresPlan.kinds": ("Kinds of failure", "The ways an answer can fail, 1 to 8"),
    "FailureKind.key": ("Name in the data", "For example: invented"),
    "FailureKind.text": (
        "What do people read?",
        "{n} is the number, {was|were} one or many: {n} {was|were} invented",
    ),
    # Votes.
    "VotesPlan.task": ("What are people to judge?", "Before the first pair"),
    "VotesPlan.question": ("What do you ask above every pair?", "Which answer is better?"),
    "VotesPlan.votes": ("How often does each person vote?", "For example 20 times"),
    "VotesPlan.repeat_every": (
        "After how many votes does an earlier pair come again, sides swapped?",
        "For example 8; 0: never",
    ),
    "VotesPlan.undecided": (
        "What can people say besides left and right?",
        "One per line: tie, both_good, both_bad",
    ),
    "VotesPlan.reason": ("People may write why", "If they like"),
    "VotesPlan.smallest": (
        "Which difference in win rate matters?",
        "From one half: 0.1 is 60 to 40",
    ),
    "VotesPlan.table": (
        "File with the outputs instead",
        "A row each: columns prompt, system and output (a text, or the name of a picture)",
    ),
    "VotesPlan.prompt_column": ("Its column of prompts", "Empty: guessed"),
    "VotesPlan.system_column": ("Its column of systems", "Empty: guessed"),
    "VotesPlan.output_column": ("Its column of outputs", "Empty: guessed"),
    "VotesPlan.prompts": ("Prompts", "What the systems were asked"),
    "VotesPlan.outputs": ("Outputs", "What each system answered to each prompt"),
    "Prompt.key": ("Name in the data", "For example: boil"),
    "Prompt.text": ("What do people read?", "Left empty: the outputs alone are shown"),
    "Output.prompt": ("Which prompt does it answer?", "The prompt's name in the data"),
    "Output.system": ("Which system made it?", "Participants never see it"),
    "Output.text": ("The output", "Shown as plain text"),
    "Output.picture": ("Or a picture", ""),
}
# The sentences of a situation, in order.
PHRASES: Mapping[str, str] = {
    "happened": "When something really happened",
    "found": "… and the system noticed",
    "missed": "… and the system missed it",
    "false_alarm": "When it raised a false alarm",
    "cleared": "When nothing happened and it stayed quiet",
}
# What choices are called; a value without a word is shown as it is.
CHOICES: Mapping[str, Mapping[str, str]] = {
    "Question.type": {
        "choice": "choose one option",
        "choices": "choose any number of options",
        "scale": "a point on a scale",
        "number": "a number",
        "text": "in their own words",
        "slider": "a slider",
        "date": "a day",
        "pictures": "choose among pictures",
        "matrix": "several rows on one scale",
        "ranking": "put options in order",
        "sum": "share out a total",
    },
    "_Frame.recruitment": {
        "none": "anywhere: a link, a poster, a list of your own",
        "prolific": "Prolific",
        "mturk": "Amazon MTurk",
        "sona": "SONA Systems",
    },
    "SurveyPlan.battery": {
        "none": "the statements above",
        "tam2": "TAM2: usefulness, ease of use, output quality, intention",
    },
    "InterfaceFactor.varied": {
        "within": "everybody sees all of them in turn",
        "between": "each person sees one",
    },
    "ComparisonPlan.algorithm": {
        "mixture": "by what the answer tells (considers several kinds of metric)",
        "bisection": "by halving (the published algorithm)",
    },
    "ComparisonPlan.rule": {"first": "the first published rule", "default": "the usual rule"},
    "ComparisonPlan.direct": {
        "both": "before and after the pairs",
        "before": "before the pairs",
        "after": "after the pairs",
        "none": "no",
    },
    "CriteriaPlan.until": {
        "best": "when one alternative is settled as the best",
        "weights": "when every weight is known to within five hundredths",
        "ratio": "when it is known how much of one criterion is worth the other",
    },
    "Measure.direction": {"max": "more is better", "min": "less is better"},
    "Measure.scale": {
        "linear": "differences",
        "log": "ratios",
    },
}


def asked(record: type, name: str) -> tuple[str, str] | None:
    """Return the question and example of a key; None for keys without one."""
    return next((QUESTIONS[key] for key in _keys(record, name) if key in QUESTIONS), None)


def choice_words(record: type, name: str) -> Mapping[str, str]:
    """Return what the values of a choice are called.

    Examples
    --------
    >>> from howgood.kinds.study import Study
    >>> choice_words(Study, "language")["de"]
    'Deutsch'
    """
    if name == "language":
        return {code: sentence(code, "language") for code in languages()}
    return next((CHOICES[key] for key in _keys(record, name) if key in CHOICES), {})


def _keys(record: type, name: str) -> Iterator[str]:
    """Yield the names under which a key may be listed: of the record, then of its parents."""
    for entry in record.__mro__:
        yield f"{entry.__name__}.{name}"

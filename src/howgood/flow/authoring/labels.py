"""What the study builder asks: questions with examples instead of the keys of study files.

In: a record, a key. Out: the question, an example, and which keys a type of question uses. Absent:
what the keys mean in a file (their descriptions, in the records themselves).
"""

from collections.abc import Mapping

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
    "SurveyApplication.picture": ("A picture or film of it", ""),
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
    "ComparisonPlan.interview": ("Ask the six published questions at the end", ""),
    "Picture.alternative": ("What does it show?", "For those who cannot see it"),
}
# The sentences of a situation, in order.
PHRASES: Mapping[str, str] = {
    "happened": "When something really happened",
    "found": "… and the system noticed",
    "missed": "… and the system missed it",
    "false_alarm": "When it raised a false alarm",
    "cleared": "When nothing happened and it stayed quiet",
}
_TYPES: Mapping[str, frozenset[str]] = {
    "options": frozenset({"choice", "choices"}),
    "scale": frozenset({"scale"}),
    "minimum": frozenset({"number"}),
    "maximum": frozenset({"number"}),
}
_KNOWN_TYPES = frozenset({"choice", "choices", "scale", "number", "text"})


def asked(record: type, name: str) -> tuple[str, str] | None:
    """Return the question and example of a key; None for keys without one."""
    for each in record.__mro__:
        found = QUESTIONS.get(f"{each.__name__}.{name}")
        if found is not None:
            return found
    return None


def is_of_type(name: str, kind: object) -> bool:
    """Return whether a question of this type uses a key; types added later use every key.

    Examples
    --------
    >>> is_of_type("options", "choice"), is_of_type("options", "number"), is_of_type("help", "text")
    (True, False, True)
    """
    return kind not in _KNOWN_TYPES or name not in _TYPES or kind in _TYPES[name]

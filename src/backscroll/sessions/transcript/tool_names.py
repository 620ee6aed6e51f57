"""The tools with a target, by its kind: a file, a skill, a type of agent."""

FILE_TOOLS = {"Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "NotebookRead"}
SKILL_TOOLS = {"Skill", "SlashCommand"}
AGENT_TOOLS = {"Task", "Agent"}

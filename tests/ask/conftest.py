"""What pytest leaves alone here: programs that tests start with other tools."""

collect_ignore = ["real_tools"]

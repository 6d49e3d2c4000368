"""What people can tell the bot to do, by slash command or by mention."""

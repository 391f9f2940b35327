// Imported into a process that leads a group: kills the group when the channel to its parent closes, however that ended.
process.once('disconnect', () => process.kill(0, 'SIGKILL'));
process.channel?.unref();
// Processes that it forks are in the group, and have channels of their own.
process.execArgv = [];

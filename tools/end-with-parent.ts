// Imported into a process that leads a group: kills the group when the channel to its parent closes, however that ended.
process.once('disconnect', () => process.kill(0, 'SIGKILL'));
process.channel?.unref();

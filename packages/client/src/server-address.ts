/** Returns the public address of a server, with its path and without a slash at the end, from one with or without `/api`. */
export const serverAddress = (url: string): string => url.replace(/\/+(api\/*)?$/, '');

/** Returns the address of a server's socket, below the same path. */
export const socketAddress = (url: string): string => `${serverAddress(url).replace(/^http/, 'ws')}/api/sync/socket`;

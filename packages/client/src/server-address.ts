/** Removes `/api` and slashes from the end of a server's address; the path of its public URL stays. */
export const serverAddress = (url: string): string => url.replace(/\/+(api\/*)?$/, '');

/** Returns the address of a server's live socket. @param url the server's address, with or without `/api`. */
export const socketAddress = (url: string): string => `${serverAddress(url).replace(/^http/, 'ws')}/api/sync/socket`;

/** Node's `node:http`. An import evaluates all its exports, and so loads undici, which is half of a command's start. */
export const http = process.getBuiltinModule('node:http');

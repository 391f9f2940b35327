import { loops, type NeighbourLoad, send } from '../kit/neighbour-load.ts';

const CONNECTIONS = 50;

/** Fifty connections try to change a password with a wrong one; each attempt costs a password hash. */
export const load: NeighbourLoad = {
  name: 'passwords: 50 connections have hashes made',
  run: (target, signal) =>
    loops(CONNECTIONS, signal, () =>
      send(
        target,
        'POST',
        '/auth/password/change',
        { old_password: 'not this one', new_password: 'nor that one 12' },
        signal,
      ),
    ),
};

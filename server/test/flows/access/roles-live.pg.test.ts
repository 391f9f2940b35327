import { onEachEngine } from '../../kit/engines.ts';
import { defineRolesLive } from './roles-live.ts';
import { oneOfEachReach } from './standings.ts';

// access.long.test.ts tries every credential of everybody, on PostgreSQL too.
onEachEngine('every message of the sockets', (open, engine) => {
  defineRolesLive(open, engine === 'sqlite' ? oneOfEachReach : ({ isSession }) => isSession);
});

import { onEachEngine } from '../../kit/engines.ts';
import { defineRolesLive } from './roles-live.ts';

// access.long.test.ts tries every credential on PostgreSQL too.
onEachEngine('every message of the sockets', (open, engine) => {
  defineRolesLive(open, engine === 'sqlite' ? undefined : ({ isSession }) => isSession);
});

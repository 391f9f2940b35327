import { oneOfEachReach } from '../flows/access/standings.ts';
import { onEachEngine } from '../kit/engines.ts';
import { defineToolRoles } from './roles.ts';

// access.long.test.ts tries every credential of everybody, on PostgreSQL too.
onEachEngine('every tool in a shared vault', (open, engine) => {
  defineToolRoles(open, engine === 'sqlite' ? oneOfEachReach : ({ isSession }) => isSession);
});

import { onEachEngine } from '../kit/engines.ts';
import { defineToolRoles } from './roles.ts';

// access.long.test.ts tries every credential on PostgreSQL too.
onEachEngine('every tool in a shared vault', (open, engine) => {
  defineToolRoles(open, engine === 'sqlite' ? undefined : ({ isSession }) => isSession);
});

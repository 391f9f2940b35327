import { onEachEngine } from '../../kit/engines.ts';
import { defineRoles } from './roles.ts';

// access.long.test.ts runs them with every credential on PostgreSQL too.
onEachEngine('every operation that concerns a vault', (open, engine) => {
  defineRoles(open, engine === 'sqlite' ? undefined : ({ isSession }) => isSession);
});

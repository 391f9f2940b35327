import { onEachEngine } from '../../kit/engines.ts';
import { defineRoles } from './roles.ts';

// matrices.full.test.ts asks with every credential.
onEachEngine('every operation that concerns a vault', (open) => defineRoles(open, ({ isSession }) => isSession));

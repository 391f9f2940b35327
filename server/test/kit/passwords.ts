import type { PasswordCost } from '../../src/domains/accounts/passwords.ts';

/** The least that argon2id takes. `passwords.test.ts` holds what production has. */
export const CHEAP_PASSWORDS: PasswordCost = { memory: 8, passes: 1, parallelism: 1 };

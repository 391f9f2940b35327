import type { PasswordCost } from '../../src/domains/content/accounts/passwords.ts';

/** The lowest cost that argon2id accepts. `passwords.test.ts` checks the cost in production. */
export const CHEAP_PASSWORDS: PasswordCost = { memory: 8, passes: 1, parallelism: 1 };

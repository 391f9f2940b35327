import type { AccountContext } from './accounts.ts';
import { checkPasswordLength } from './passwords.ts';
import { PASSWORDS } from './sessions/attempts.ts';

/** Passwords of things that are not accounts, such as public links. */
export type Secrets = ReturnType<typeof createSecrets>;

export function createSecrets({ passwords, attempts }: Pick<AccountContext, 'passwords' | 'attempts'>) {
  return {
    /** Throws `password_too_long`. */
    async hash(password: string): Promise<string> {
      checkPasswordLength(password);
      return await passwords.hash(password);
    },
    /**
     * Returns whether a password is right. Attempts at a subject are counted over all processes, as those at an account
     * are. Throws `rate_limited`.
     */
    async verify(subject: string, password: string, encoded: string): Promise<boolean> {
      const uncount = await attempts.count([subject, PASSWORDS]);
      const isRight = await passwords.verify(password, encoded);
      if (isRight) await uncount();
      return isRight;
    },
  };
}

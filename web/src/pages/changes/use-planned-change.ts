import { ApiError } from '@notevault/client/transport.ts';
import type { VaultChange } from '@notevault/protocol/vault-changes.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../../data/keys.ts';
import { useAttempt } from '../../ui/feedback/use-attempt.ts';

/** Asks the server with `dry_run` or with the `plan` of a dry run. */
export type AskChange = (request: { dry_run: true } | { plan: string }) => Promise<VaultChange>;

/** Manages a change of many notes: a preview first, then a write of exactly the previewed changes. */
export function usePlannedChange(vaultId: string) {
  const queries = useQueryClient();
  const attempt = useAttempt();
  const [plan, setPlan] = useState<VaultChange | null>(null);
  /** Whether somebody wrote between the dry run and the change, so that another plan is shown. */
  const [isOther, setOther] = useState(false);
  return {
    ...attempt,
    plan,
    isOther,
    /** Shows what would change. */
    look: (ask: AskChange) =>
      attempt.run(async () => {
        setOther(false);
        setPlan(null);
        setPlan(await ask({ dry_run: true }));
      }),
    /** Writes the previewed changes; if notes changed meanwhile, shows a new preview instead. */
    write: (ask: AskChange, done: (change: VaultChange) => void) =>
      attempt.run(async () => {
        if (plan === null) return;
        try {
          const change = await ask({ plan: plan.plan });
          setPlan(null);
          done(change);
        } catch (error) {
          if (!(error instanceof ApiError) || error.code !== 'plan_changed') throw error;
          setPlan(await ask({ dry_run: true }));
          setOther(true);
        } finally {
          void queries.invalidateQueries({ queryKey: keys.vault(vaultId) });
        }
      }),
    /** Discards the preview, because another change is requested. */
    forget: () => {
      setPlan(null);
      setOther(false);
    },
  };
}

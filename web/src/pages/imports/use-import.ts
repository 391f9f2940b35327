import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { storedValue } from '../../platform/stored.ts';
import { importView, isRunning, type Preparation } from './import-view.ts';
import type { ImportSelection } from './picked.ts';
import { startImport } from './start-import.ts';

const LOOK_EVERY_MS = 700;
/** Reading a thousand small files would otherwise draw a thousand times. */
const SHOWN_EVERY_MS = 100;

/** The import whose result was shown already; it is not shown again when the page reopens. */
const lastResult = storedValue('notevault-import-shown', (stored) => (typeof stored === 'string' ? stored : null));

/**
 * Returns the view and the steps of a vault's import. The server keeps the import, so that it continues after the page
 * is closed.
 */
export function useImport({
  vaultId,
  vaultOf,
}: {
  /** Null when the vault is still to be made. */
  readonly vaultId: string | null;
  readonly vaultOf: () => Promise<string>;
}) {
  const queries = useQueryClient();
  const { data: job = null } = useQuery({
    queryKey: keys.imports,
    queryFn: async () => (await api.imports.list())[0] ?? null,
    refetchInterval: ({ state }) => (state.data != null && isRunning(state.data) ? LOOK_EVERY_MS : false),
  });
  const [preparation, setPreparation] = useState<Preparation | null>(null);
  const [dismissed, setDismissed] = useState(lastResult.get);
  const [error, setError] = useState<unknown>(null);
  const aborting = useRef<AbortController | null>(null);
  useImported(job !== null && !isRunning(job) && !job.dry_run ? job.vault_id : null);
  useEffect(() => () => aborting.current?.abort(), []);

  const attempt = async (act: () => Promise<unknown>) => {
    setError(null);
    await act().catch(setError);
    await queries.invalidateQueries({ queryKey: keys.imports });
  };

  const begin = (picked: Exclude<ImportSelection, { kind: 'fault' }>) =>
    attempt(async () => {
      const abort = new AbortController();
      aborting.current = abort;
      const show = throttled(setPreparation);
      setPreparation({ step: 'reading', done: 0, total: picked.kind === 'files' ? picked.files.length : 1 });
      try {
        await startImport(picked, { vaultId: await vaultOf(), signal: abort.signal, onProgress: show });
        await queries.invalidateQueries({ queryKey: keys.imports });
      } catch (reason) {
        if (!abort.signal.aborted) throw reason;
      } finally {
        setPreparation(null);
      }
    });

  const view = importView({ preparation, job, dismissed, vaultId });
  const shown = view.show === 'result' ? view.job.id : null;
  useEffect(() => {
    if (shown !== null) lastResult.set(shown);
  }, [shown]);

  return {
    view,
    error,
    begin: (picked: Exclude<ImportSelection, { kind: 'fault' }>) => void begin(picked),
    apply: () => void attempt(async () => (job === null ? undefined : api.imports.apply(job.id))),
    /** Stops a running import, or discards a trial. */
    cancel() {
      if (preparation !== null) aborting.current?.abort();
      else void attempt(async () => (job === null ? undefined : api.imports.cancel(job.id)));
    },
    dismiss: () => setDismissed(job?.id ?? null),
  };
}

/** Reads again what an import into a vault has changed. */
function useImported(vaultId: string | null): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (vaultId === null) return;
    for (const queryKey of [keys.vault(vaultId), keys.vaults, keys.storage]) {
      void queries.invalidateQueries({ queryKey });
    }
  }, [queries, vaultId]);
}

function throttled(show: (preparation: Preparation) => void): (preparation: Preparation) => void {
  let next = 0;
  return (preparation) => {
    const now = performance.now();
    if (now < next && preparation.done < preparation.total) return;
    next = now + SHOWN_EVERY_MS;
    show(preparation);
  };
}

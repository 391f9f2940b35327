import type { VaultTree } from '@notevault/protocol/sync.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { keys } from '../../data/keys.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { importOrReload } from '../../page/import-or-reload.ts';
import { errorText } from '../../ui/feedback/error-text.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import type { AddProgress } from '../files/add-files.ts';
import { filesOfDrop } from '../imports/dropped.ts';

/** Adds files of this device to a vault, one drop at a time; `progress` is null while nothing is added. */
export function useAddFiles(vault: string) {
  const queries = useQueryClient();
  const t = useTexts('vault');
  const [progress, setProgress] = useState<AddProgress | null>(null);
  const running = useRef<AbortController | null>(null);

  const add = async (data: DataTransfer, folder: string) => {
    const reading = filesOfDrop(data);
    if (running.current !== null) return showToast({ kind: 'danger', text: t('files.busy') });
    const abort = new AbortController();
    running.current = abort;
    try {
      const [files, { addFiles }] = await Promise.all([reading, importOrReload(() => import('../files/add-files.ts'))]);
      setProgress({ sent: 0, total: 0 });
      const tree = queries.getQueryData<VaultTree>(keys.tree(vault));
      const failures = await addFiles(files, { vault, folder, tree, signal: abort.signal, onProgress: setProgress });
      const [first] = failures;
      if (first !== undefined) {
        const text = t('files.failed', { count: failures.length, path: first.path, reason: errorText(t, first.error) });
        showToast({ kind: 'danger', text });
      } else showToast({ kind: 'plain', text: t('files.added', { count: files.length }) });
    } catch (error) {
      if (!abort.signal.aborted) showToast({ kind: 'danger', text: errorText(t, error) });
    }
    running.current = null;
    setProgress(null);
    await queries.invalidateQueries({ queryKey: keys.vault(vault) });
  };

  return {
    progress,
    add: (data: DataTransfer, folder: string) => void add(data, folder),
    stop: () => running.current?.abort(new DOMException('stopped', 'AbortError')),
  };
}

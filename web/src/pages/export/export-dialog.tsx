import type { Vault } from '@notevault/protocol/vaults.ts';
import i18next from 'i18next';
import { useEffect, useState } from 'react';
import { useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog, DialogButtons } from '../../ui/dialogs/dialog.tsx';
import { errorText } from '../../ui/feedback/error-text.ts';
import { Notice } from '../../ui/feedback/notice.tsx';
import { Progress } from '../../ui/feedback/progress.tsx';
import { bytes } from '../../ui/text/bytes.ts';
import { dayOf } from '../../ui/text/day-of.ts';
import { downloadVault } from './download-vault.ts';
import { exportName } from './export-way.ts';

type State =
  | { readonly is: 'running'; readonly received: number }
  | { readonly is: 'done'; readonly way: 'page' | 'browser' }
  | { readonly is: 'failed'; readonly error: unknown };

/** Downloads a vault as a zip, beginning at once. */
export function ExportDialog({ vault, close }: { readonly vault: Vault; readonly close: () => void }) {
  const t = useTexts('settings');
  const tVault = useTexts('vault');
  const state = useDownload(vault);
  return (
    <Dialog title={t('export.title', { name: vault.name })} close={close}>
      {state.is === 'running' ? (
        <>
          <p role="status">{t('export.running')}</p>
          <Progress
            label={t('export.running')}
            done={0}
            total={null}
            about={t('export.received', { size: bytes(state.received, i18next.language) })}
          />
        </>
      ) : null}
      {state.is === 'done' ? (
        <Notice kind="ok">{t(state.way === 'page' ? 'export.done' : 'export.inBrowser')}</Notice>
      ) : null}
      {state.is === 'failed' ? <Notice kind="danger">{errorText(tVault, state.error)}</Notice> : null}
      <DialogButtons>
        <Button onClick={close}>{tVault(state.is === 'running' ? 'cancel' : 'close')}</Button>
      </DialogButtons>
    </Dialog>
  );
}

/** Downloads a vault while the component is there; leaving stops it. */
function useDownload({ id, name }: Vault): State {
  const [state, setState] = useState<State>({ is: 'running', received: 0 });
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    const show = (next: State) => {
      if (!signal.aborted) setState(next);
    };
    downloadVault(id, {
      name: exportName(name, dayOf(new Date())),
      signal,
      onProgress: (received) => show({ is: 'running', received }),
    }).then(
      (way) => show({ is: 'done', way }),
      (error: unknown) => show({ is: 'failed', error }),
    );
    return () => abort.abort();
  }, [id, name]);
  return state;
}

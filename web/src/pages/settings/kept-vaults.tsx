import type { Vault } from '@notevault/protocol/vaults.ts';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import i18next from 'i18next';
import { useState } from 'react';
import { vaultsQuery } from '../../data/queries.ts';
import { freeBytes, keepOnDevice, removeFromDevice, sizeOf } from '../../device/kept/current-kept.ts';
import { keptVaults } from '../../device/kept/kept-state.ts';
import type { KeptVault } from '../../device/kept/kept-vault.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { useObservable } from '../../platform/use-observable.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog, DialogButtons } from '../../ui/dialogs/dialog.tsx';
import { errorText } from '../../ui/feedback/error-text.ts';
import { Notice } from '../../ui/feedback/notice.tsx';
import { Progress } from '../../ui/feedback/progress.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { bytes } from '../../ui/text/bytes.ts';
import { Time } from '../../ui/text/time.tsx';
import lists from '../lists/lists.module.css';

const size = (count: number) => bytes(count, i18next.language);

/** The vaults, each with whether all of it is kept on this device. */
export function KeptVaults() {
  const { data: vaults } = useSuspenseQuery(vaultsQuery);
  const kept = useObservable(keptVaults);
  return (
    <ul className={lists.rows}>
      {vaults.map((vault) => (
        <Row key={vault.id} vault={vault} kept={kept.find((one) => one.vault === vault.id) ?? null} />
      ))}
    </ul>
  );
}

function Row({ vault, kept }: { readonly vault: Vault; readonly kept: KeptVault | null }) {
  const t = useTexts('settings');
  const tVault = useTexts('vault');
  const [isAsked, setAsked] = useState(false);
  const { id, name } = vault;
  const remove = () =>
    void removeFromDevice(id).catch((error: unknown) => showToast({ kind: 'danger', text: errorText(tVault, error) }));
  return (
    <li className={lists.row}>
      <span className={lists.name} dir="auto">
        {name}
      </span>
      <span className={lists.buttons}>
        {kept === null ? (
          <Button aria-label={`${t('kept.keep')}: ${name}`} onClick={() => setAsked(true)}>
            {t('kept.keep')}
          </Button>
        ) : (
          <Button
            aria-label={`${t(kept.currentAt === null ? 'kept.cancel' : 'kept.remove')}: ${name}`}
            onClick={remove}
          >
            {t(kept.currentAt === null ? 'kept.cancel' : 'kept.remove')}
          </Button>
        )}
      </span>
      {kept === null ? null : (
        <div className={lists.about}>
          <State kept={kept} vault={vault} />
        </div>
      )}
      {isAsked ? <KeepDialog vault={vault} close={() => setAsked(false)} /> : null}
    </li>
  );
}

/** How much of a vault this device has, and how old the copy is. */
function State({ kept, vault }: { readonly kept: KeptVault; readonly vault: Vault }) {
  const t = useTexts('settings');
  const { notes, noteBytes, withFiles, files, fileBytes, isFull, currentAt } = kept;
  const amount = [
    t('kept.notes', { count: notes, size: size(noteBytes) }),
    withFiles ? t('kept.files', { count: files, size: size(fileBytes) }) : '',
  ];
  const about = amount.filter(Boolean).join(' · ');
  if (isFull) return <Notice kind="danger">{`${t('kept.full')} ${about}`}</Notice>;
  if (currentAt === null) {
    const total = vault.note_count + (withFiles ? vault.attachment_count : 0);
    return (
      <Progress label={t('kept.running', { name: vault.name })} done={notes + files} total={total} about={about} />
    );
  }
  return (
    <>
      {about} · {t('kept.current')} <Time at={new Date(currentAt).toISOString()} />
    </>
  );
}

/** Says how much a vault is before it is kept. */
function KeepDialog({ vault, close }: { readonly vault: Vault; readonly close: () => void }) {
  const t = useTexts('settings');
  const tVault = useTexts('vault');
  const [withFiles, setWithFiles] = useState(false);
  const { id, name } = vault;
  const { data, error } = useQuery({
    queryKey: ['size-to-keep', id],
    queryFn: async () => ({ size: await sizeOf(id), room: await freeBytes() }),
    gcTime: 0,
  });
  const wanted = data === undefined ? 0 : data.size.noteBytes + (withFiles ? data.size.fileBytes : 0);
  const fits = data !== undefined && wanted <= data.room;
  const keep = () => {
    if (!fits) return;
    close();
    void keepOnDevice(id, withFiles).catch((reason: unknown) =>
      showToast({ kind: 'danger', text: errorText(tVault, reason) }),
    );
  };
  return (
    <Dialog title={t('kept.title', { name })} close={close}>
      <p>{t('kept.about')}</p>
      {error === null ? null : <Notice kind="danger">{errorText(tVault, error)}</Notice>}
      {data === undefined ? null : (
        <>
          <p>
            {t(data.size.isEstimate ? 'kept.notesAbout' : 'kept.notes', {
              count: data.size.notes,
              size: size(data.size.noteBytes),
            })}
          </p>
          {data.size.files === 0 ? null : (
            <label>
              <input type="checkbox" checked={withFiles} onChange={({ target }) => setWithFiles(target.checked)} />{' '}
              {t('kept.withFiles', { count: data.size.files, size: size(data.size.fileBytes) })}
            </label>
          )}
          {fits ? null : <Notice kind="danger">{t('kept.noRoom', { size: size(Math.max(0, data.room)) })}</Notice>}
        </>
      )}
      <DialogButtons>
        <Button onClick={close}>{tVault('cancel')}</Button>
        <Button look="primary" aria-disabled={!fits} onClick={keep}>
          {t('kept.keep')}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

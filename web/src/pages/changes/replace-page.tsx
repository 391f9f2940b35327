import { nameOrder } from '@notevault/note-text/names/order.ts';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../data/client.ts';
import { useTree } from '../../data/use-tree.ts';
import { useCanWrite } from '../../data/use-vault.ts';
import { useLanguage, useTexts } from '../../i18n/use-texts.ts';
import { ForEditors } from '../../page/for-editors.tsx';
import { Page } from '../../page/page.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Choice, Field } from '../../ui/controls/field.tsx';
import { errorText } from '../../ui/feedback/error-text.ts';
import { Notice } from '../../ui/feedback/notice.tsx';
import { ChangePreview } from './change-preview.tsx';
import styles from './changes.module.css';
import { type AskChange, usePlannedChange } from './use-planned-change.ts';

const route = getRouteApi('/vaults/$vaultId/replace');

/** Replaces a text in all notes of a vault, after showing where. */
export function ReplacePage() {
  const t = useTexts('changes');
  return useCanWrite(route.useParams().vaultId) ? <Replace /> : <ForEditors title={t('replaceTitle')} />;
}

function Replace() {
  const t = useTexts('changes');
  const tVault = useTexts('vault');
  const { vaultId } = route.useParams();
  const { q = '' } = route.useSearch();
  const [wanted, setWanted] = useState({ text: q, replacement: '', match_case: true, whole_words: false, folder: '' });
  const [changed, setChanged] = useState<number | null>(null);
  const { plan, isOther, isRunning, error, look, write, forget } = usePlannedChange(vaultId);
  const change = (next: Partial<typeof wanted>) => {
    setWanted({ ...wanted, ...next });
    setChanged(null);
    forget();
  };
  const { folder, ...rest } = wanted;
  const ask: AskChange = (how) =>
    api.vault(vaultId).replaceText({ ...rest, ...(folder === '' ? {} : { folder }), ...how });
  return (
    <Page title={t('replaceTitle')}>
      <p className={styles.about}>{t('replaceAbout')}</p>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (wanted.text !== '') look(ask);
        }}
      >
        <Field
          label={t('text')}
          value={wanted.text}
          required
          maxLength={1000}
          autoFocus
          onChange={({ target }) => change({ text: target.value })}
        />
        <Field
          label={t('replacement')}
          hint={t('replacementHint')}
          value={wanted.replacement}
          maxLength={10_000}
          onChange={({ target }) => change({ replacement: target.value })}
        />
        <FolderChoice value={folder} change={(chosen) => change({ folder: chosen })} />
        <div className={styles.checks}>
          {(['match_case', 'whole_words'] as const).map((name) => (
            <label key={name}>
              <input
                type="checkbox"
                checked={wanted[name]}
                onChange={({ target }) => change({ [name]: target.checked })}
              />
              {t(name)}
            </label>
          ))}
        </div>
        <div className={styles.buttons}>
          <Button type="submit" look={plan === null ? 'primary' : 'plain'} aria-disabled={isRunning}>
            {t('look')}
          </Button>
          {plan === null || plan.notes.length === 0 ? null : (
            <Button
              look="primary"
              aria-disabled={isRunning}
              onClick={() => write(ask, (done) => setChanged(done.changed))}
            >
              {t('replace', { count: plan.notes.length })}
            </Button>
          )}
        </div>
      </form>
      {error === null ? null : <Notice kind="danger">{errorText(tVault, error)}</Notice>}
      {changed === null ? null : <Notice kind="ok">{t('replaced', { count: changed })}</Notice>}
      {plan === null ? null : <ChangePreview plan={plan} replacement={wanted.replacement} isOther={isOther} />}
    </Page>
  );
}

function FolderChoice({ value, change }: { readonly value: string; readonly change: (folder: string) => void }) {
  const t = useTexts('changes');
  const tVault = useTexts('vault');
  const language = useLanguage();
  const folders = useTree(route.useParams().vaultId).folders();
  return (
    <Choice label={t('folder')} value={value} onChange={({ target }) => change(target.value)}>
      <option value="">{tVault('search.anyFolder')}</option>
      {folders
        .map(({ path }) => path)
        .sort(nameOrder(language))
        .map((path) => (
          <option key={path}>{path}</option>
        ))}
    </Choice>
  );
}

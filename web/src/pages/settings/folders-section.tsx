import { FOLDERS_PREFERENCE, readFolder } from '@notevault/protocol/folder-choice.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { preferencesQuery, rememberPreferences } from '../../data/preferences.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { Field } from '../../ui/controls/field.tsx';
import { errorText } from '../../ui/feedback/error-text.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import { chosenFolders } from '../../workspace/folders.ts';
import styles from './settings.module.css';

const FOLDERS = ['templates', 'daily'] as const;

/** Folders for templates and daily notes, in all vaults and on all devices of the account. */
export function FoldersSection() {
  const t = useTexts('settings');
  const inVault = useTexts('vault');
  const queries = useQueryClient();
  const { data: preferences, isPending } = useQuery(preferencesQuery);
  const chosen = chosenFolders(preferences);
  const named = { templates: inVault('template.folder'), daily: inVault('daily.folder') };
  const keep = (which: (typeof FOLDERS)[number], typed: string) => {
    const next = { ...chosen, [which]: readFolder(typed) };
    if (next[which] === readFolder(chosen[which])) return;
    const isDone = rememberPreferences(queries, { [FOLDERS_PREFERENCE]: next });
    isDone.catch((error: unknown) => showToast({ kind: 'danger', text: errorText(inVault, error) }));
  };
  return (
    <section className={styles.section} aria-labelledby="folders">
      <h2 id="folders">{t('folders.title')}</h2>
      <p>{t('folders.about')}</p>
      <div className={styles.options}>
        {FOLDERS.map((which) => (
          <Field
            // A field keeps what it began with, so it takes nothing before that is known.
            key={`${which} ${isPending}`}
            disabled={isPending}
            label={t(`folders.${which}`)}
            hint={t(`folders.${which}Hint`)}
            defaultValue={readFolder(chosen[which]) ?? ''}
            placeholder={named[which]}
            onBlur={({ target }) => keep(which, target.value)}
          />
        ))}
      </div>
    </section>
  );
}

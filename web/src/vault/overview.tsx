import { useSuspenseQuery } from '@tanstack/react-query';
import { recentQuery } from '../data/queries.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { NoteList } from './note-list.tsx';
import { Page } from './page.tsx';
import { useVaultId } from './use-vault.ts';

/** What is shown of a vault when no note is open: the notes that changed last. */
export function Overview() {
  const t = useTexts('vault');
  const { data } = useSuspenseQuery(recentQuery(useVaultId()));
  return (
    <Page title={t('overview.title')}>
      <NoteList notes={data} empty={t('overview.emptyText')} />
    </Page>
  );
}

import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { recentQuery } from '../data/queries.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { buttonClass } from '../ui/controls/button.tsx';
import { NoteList } from './note-list.tsx';
import { Page } from './page.tsx';
import { useVaultId } from './use-vault.ts';

/** What is shown of a vault when no note is open: the notes that changed last. */
export function Overview() {
  const t = useTexts('vault');
  const vaultId = useVaultId();
  const { data } = useSuspenseQuery(recentQuery(vaultId));
  return (
    <Page title={t('overview.title')}>
      <NoteList notes={data} empty={t('overview.emptyText')} />
      {data.length > 0 ? null : (
        <div>
          <Link to="/vaults/$vaultId/import" params={{ vaultId }} className={buttonClass('plain')}>
            {t('action.import')}
          </Link>
        </div>
      )}
    </Page>
  );
}

import { ApiError } from '@notevault/client/transport.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { recentQuery } from '../data/queries.ts';
import { useVaultId } from '../data/use-vault.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { CrashBarrier } from '../page/crash-barrier.tsx';
import { Page } from '../page/page.tsx';
import { buttonClass } from '../ui/controls/button.tsx';
import { DamagedRows } from './damaged-rows.tsx';
import { NoteList } from './note-list.tsx';

/** What is shown of a vault when no note is open: what is damaged, and the notes that changed last. */
export function Overview() {
  const t = useTexts('vault');
  const vaultId = useVaultId();
  return (
    <Page title={t('overview.title')}>
      <CrashBarrier>
        <Suspense>
          <DamagedRows vaultId={vaultId} />
        </Suspense>
      </CrashBarrier>
      <RecentNotes vaultId={vaultId} />
    </Page>
  );
}

function RecentNotes({ vaultId }: { readonly vaultId: string }) {
  const t = useTexts('vault');
  const { data, error } = useQuery({ ...recentQuery(vaultId), throwOnError: (thrown) => !isDamage(thrown) });
  if (isDamage(error)) return <p>{t('damaged.recent')}</p>;
  if (data === undefined) return null;
  return (
    <>
      <NoteList notes={data} empty={t('overview.emptyText')} />
      {data.length > 0 ? null : (
        <div>
          <Link to="/vaults/$vaultId/import" params={{ vaultId }} className={buttonClass('plain')}>
            {t('action.import')}
          </Link>
        </div>
      )}
    </>
  );
}

/** Whether the list failed because of a damaged note among the newest. */
function isDamage(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'note_unreadable';
}

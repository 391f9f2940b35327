import type { DanglingLink } from '@notevault/protocol/links.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { danglingQuery } from '../../data/queries.ts';
import { noteName } from '../../data/tree/tree-index.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { Page } from '../../page/page.tsx';
import { Empty, Failed, Waiting } from '../../page/states.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { workspace } from '../../workspace/workspace.ts';
import styles from './lists.module.css';

const route = getRouteApi('/vaults/$vaultId/dangling');

/** The links of a vault that lead nowhere, as an import may leave them. */
export function DanglingPage() {
  const t = useTexts('vault');
  const { vaultId } = route.useParams();
  const query = useInfiniteQuery(danglingQuery(vaultId));
  const { data, error, hasNextPage, fetchNextPage, isPending } = query;
  return (
    <Page title={t('dangling.title')}>
      {data?.length === 0 ? (
        <Empty icon="link" title={t('dangling.none')}>
          <p>{t('dangling.noneText')}</p>
        </Empty>
      ) : (
        <p className={styles.hint}>{t('dangling.about')}</p>
      )}
      {error === null ? null : <Failed error={error} again={() => void query.refetch()} isOld={data !== undefined} />}
      {isPending ? <Waiting /> : null}
      <ul className={styles.rows}>
        {data?.map((link, at) => (
          // A note may have a link twice.
          // biome-ignore lint/suspicious/noArrayIndexKey: rows only come at the end
          <Row key={`${at} ${link.note_id}`} vaultId={vaultId} link={link} />
        ))}
      </ul>
      {hasNextPage ? <Button onClick={() => void fetchNextPage()}>{t('more')}</Button> : null}
    </Page>
  );
}

/** A link, which opens its note where it is. */
function Row({ vaultId, link }: { readonly vaultId: string; readonly link: DanglingLink }) {
  const t = useTexts('vault');
  const { note_id: noteId, path, line, target, near } = link;
  const names = near.map(noteName).join(', ');
  return (
    <li className={styles.row}>
      <span className={styles.name} dir="auto">
        <Link
          to="/vaults/$vaultId/notes/$noteId"
          params={{ vaultId, noteId }}
          onClick={() => workspace.note(noteId).wantPlace({ excerpt: target, start: 0, end: target.length })}
        >
          {target}
        </Link>
      </span>
      <span className={styles.about}>
        <span dir="auto">{path.replace(/\.md$/i, '')}</span>
        {line === null ? null : ` · ${t('dangling.line', { line })}`}
        {names === '' ? null : ` · ${t('dangling.near', { names })}`}
      </span>
    </li>
  );
}

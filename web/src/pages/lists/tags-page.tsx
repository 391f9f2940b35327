import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { taggedQuery, tagsQuery } from '../../data/queries.ts';
import { useCanWrite } from '../../data/use-vault.ts';
import { loadTexts } from '../../i18n/i18n.ts';
import { useLanguage, useTexts } from '../../i18n/use-texts.ts';
import { importOrReload } from '../../page/import-or-reload.ts';
import { Page } from '../../page/page.tsx';
import { Empty, Failed, Waiting } from '../../page/states.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Result } from '../search/result.tsx';
import styles from './lists.module.css';
import { type TagNode, tagTree } from './tag-tree.ts';

const route = getRouteApi('/vaults/$vaultId/tags');

const RenameTag = lazy(async () => {
  const [module] = await Promise.all([importOrReload(() => import('../changes/rename-tag.tsx')), loadTexts('changes')]);
  return { default: module.RenameTag };
});

/** All tags of a vault, nested ones in those that they are in; beside them the notes of the one in the address. */
export function TagsPage() {
  const t = useTexts('vault');
  const language = useLanguage();
  const navigate = useNavigate();
  const { vaultId } = route.useParams();
  const { tag } = route.useSearch();
  const { data: tags } = useSuspenseQuery(tagsQuery(vaultId));
  const canWrite = useCanWrite(vaultId);
  const [isRenamed, setRenamed] = useState(false);
  const renamed = (to: string) =>
    void navigate({ to: '/vaults/$vaultId/tags', params: { vaultId }, search: { tag: to }, replace: true });
  return (
    <Page
      title={tag === undefined ? t('nav.tags') : `#${tag}`}
      actions={
        tag === undefined || !canWrite ? null : <Button onClick={() => setRenamed(true)}>{t('tags.rename')}</Button>
      }
    >
      <div className={styles.split} data-chosen={tag === undefined ? undefined : ''}>
        <nav aria-label={t('tags.all')}>
          {tag === undefined ? null : (
            <Link to="/vaults/$vaultId/tags" params={{ vaultId }} className={styles.all}>
              {t('tags.all')}
            </Link>
          )}
          <Tags vaultId={vaultId} nodes={tagTree(tags, language)} chosen={tag} />
          {tags.length > 0 ? null : (
            <Empty icon="tag" title={t('tags.none')}>
              <p>{t('tags.noneText')}</p>
            </Empty>
          )}
        </nav>
        {tag === undefined ? null : <TaggedNotes vaultId={vaultId} tag={tag} />}
      </div>
      {tag !== undefined && isRenamed ? (
        <Suspense>
          <RenameTag vaultId={vaultId} tag={tag} close={() => setRenamed(false)} renamed={renamed} />
        </Suspense>
      ) : null}
    </Page>
  );
}

interface TagsProps {
  readonly vaultId: string;
  readonly nodes: readonly TagNode[];
  readonly chosen: string | undefined;
}

function Tags({ vaultId, nodes, chosen }: TagsProps) {
  return (
    <ul className={styles.tags}>
      {nodes.map(({ name, label, count, inner }) => (
        <li key={name}>
          <Link
            to="/vaults/$vaultId/tags"
            params={{ vaultId }}
            search={name === chosen ? {} : { tag: name }}
            className={styles.tag}
            aria-label={count === null ? `#${name}` : `#${name} ${count}`}
            aria-current={name === chosen ? 'true' : undefined}
          >
            <span dir="auto">{name === label ? `#${label}` : label}</span>{' '}
            {count === null ? null : <small>{count}</small>}
          </Link>
          {inner.length === 0 ? null : <Tags vaultId={vaultId} nodes={inner} chosen={chosen} />}
        </li>
      ))}
    </ul>
  );
}

function TaggedNotes({ vaultId, tag }: { readonly vaultId: string; readonly tag: string }) {
  const t = useTexts('vault');
  const query = useInfiniteQuery(taggedQuery(vaultId, tag));
  const { data, error, isPending, hasNextPage, isFetchingNextPage } = query;
  if (isPending) return <Waiting />;
  if (error !== null && data === undefined) return <Failed error={error} again={() => void query.refetch()} />;
  if (data?.results.length === 0 && data.partial === undefined) return <Empty icon="tag" title={t('tags.noNotes')} />;
  return (
    <div>
      {data?.partial === undefined ? null : <p aria-live="polite">{t('search.partial', { ...data.partial })}</p>}
      <ul className={styles.tagged}>
        {data?.results.map((result) => (
          <li key={result.id}>
            <Result vaultId={vaultId} result={result} />
          </li>
        ))}
      </ul>
      {hasNextPage ? (
        <Button
          aria-disabled={isFetchingNextPage}
          onClick={() => {
            if (!isFetchingNextPage) void query.fetchNextPage();
          }}
        >
          {t('more')}
        </Button>
      ) : null}
    </div>
  );
}

import { nameOrder } from '@notevault/note-text/names/order.ts';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { searchPages, tagsQuery } from '../../data/queries.ts';
import { useTree } from '../../data/use-tree.ts';
import { useLanguage, useTexts } from '../../i18n/use-texts.ts';
import { Page } from '../../page/page.tsx';
import { SEARCH_SORTS, type SearchParams } from '../../page/search-params.ts';
import { Empty, Failed, Waiting } from '../../page/states.tsx';
import { Button, buttonClass } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { type QueryText, withAddress } from './query-text.ts';
import { Result } from './result.tsx';
import { countOf } from './result-count.ts';
import styles from './search-page.module.css';

const route = getRouteApi('/vaults/$vaultId/search');
const AFTER_TYPING_MS = 250;

/** Full-text search page. The query is in the address, so that it can be shared and the back button works. */
export function SearchPage() {
  const t = useTexts('vault');
  const { vaultId } = route.useParams();
  const params = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: Partial<Record<keyof SearchParams, string | undefined>>) =>
    void navigate({ search: (now) => clean({ ...now, ...next }), replace: true });
  const { results, partial, query } = useResults(vaultId, params);
  const { data, error, isFetching, isPlaceholderData, hasNextPage } = query;
  return (
    <Page
      title={t('search.title')}
      actions={
        <Link
          to="/vaults/$vaultId/replace"
          params={{ vaultId }}
          search={clean({ q: params.q })}
          className={buttonClass('quiet')}
        >
          {t('action.replace')}
        </Link>
      }
    >
      <search className={styles.form}>
        <QueryInput q={params.q ?? ''} change={(q) => change({ q })} />
        <Filters vaultId={vaultId} params={params} change={change} />
      </search>
      {error === null ? null : <Failed error={error} again={() => void query.refetch()} isOld={data !== undefined} />}
      {params.q !== undefined && data === undefined && isFetching ? <Waiting /> : null}
      <div aria-live="polite" aria-busy={isFetching} className={styles.hint}>
        {params.q === undefined
          ? t('search.operators')
          : results.length === 0
            ? ''
            : t(`search.${countOf(results.length, hasNextPage, params.sort !== undefined)}`, {
                count: results.length,
              })}
        {partial === undefined ? null : <p>{t('search.partial', { ...partial })}</p>}
      </div>
      <ul className={styles.results}>
        {results.map((result) => (
          <li key={result.id}>
            <Result vaultId={vaultId} result={result} />
          </li>
        ))}
      </ul>
      {results.length > 0 && hasNextPage ? (
        <Button
          className={styles.more ?? ''}
          aria-disabled={isFetching}
          onClick={() => {
            if (!isFetching) void query.fetchNextPage();
          }}
        >
          {t('more')}
        </Button>
      ) : null}
      {params.q !== undefined && data?.results.length === 0 && !isPlaceholderData ? (
        <Empty icon="search" title={t('search.nothing')}>
          <p>
            {t('search.nothingText')}{' '}
            <Link to="/vaults/$vaultId" params={{ vaultId }}>
              {t('nav.home')}
            </Link>
          </p>
        </Empty>
      ) : null}
    </Page>
  );
}

/** Returns the results in the chosen order. An order computed here needs all results first. */
function useResults(vaultId: string, params: SearchParams) {
  const { sort, ...wanted } = useDeferredValue(params);
  const language = useLanguage();
  const index = useTree(vaultId);
  const query = useInfiniteQuery({ ...searchPages(vaultId, wanted), placeholderData: keepPreviousData });
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  useEffect(() => {
    if (sort !== undefined && hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [sort, hasNextPage, isFetching, isError, fetchNextPage]);
  const found = params.q === undefined ? NOTHING : (data ?? NOTHING);
  const results = useMemo(() => {
    if (sort === undefined) return found.results;
    const byName = nameOrder(language);
    const changed = (id: string) => {
      const entry = index.byKey(id);
      return entry?.kind === 'note' ? entry.updatedAt : '';
    };
    return [...found.results].sort((a, b) =>
      sort === 'name' ? byName(a.title, b.title) : changed(b.id).localeCompare(changed(a.id)),
    );
  }, [found, sort, index, language]);
  return { results, partial: found.partial, query };
}

const NOTHING = { results: [], partial: undefined };

function clean(params: Partial<Record<keyof SearchParams, string | undefined>>): SearchParams {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined && value !== ''));
}

/**
 * Writes the query to the address a moment after the last key; another query in the address replaces the typed text.
 */
function QueryInput({ q, change }: { readonly q: string; readonly change: (q: string) => void }) {
  const t = useTexts('vault');
  const [query, setQuery] = useState<QueryText>({ text: q, known: q, asked: [] });
  const now = withAddress(query, q);
  if (now !== query) setQuery(now);
  const { text } = now;
  const input = useRef<HTMLInputElement>(null);
  // People open the page to type.
  useEffect(() => input.current?.focus(), []);
  useEffect(() => {
    if (text.trim() === q) return;
    const timer = setTimeout(() => {
      setQuery((latest) => ({ ...latest, asked: [...latest.asked, text.trim()] }));
      change(text.trim());
    }, AFTER_TYPING_MS);
    return () => clearTimeout(timer);
  });
  return (
    <div className={styles.field}>
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        className={styles.query}
        value={text}
        onChange={({ target }) => setQuery({ ...now, text: target.value })}
        placeholder={t('search.placeholder')}
        aria-label={t('search.label')}
        enterKeyHint="search"
      />
    </div>
  );
}

interface FiltersProps {
  readonly vaultId: string;
  readonly params: SearchParams;
  readonly change: (next: Partial<Record<keyof SearchParams, string | undefined>>) => void;
}

function Filters({ vaultId, params: { folder = '', tag = '', mode, sort }, change }: FiltersProps) {
  const t = useTexts('vault');
  const language = useLanguage();
  const index = useTree(vaultId);
  const { data: tags = [] } = useQuery(tagsQuery(vaultId));
  const folders = index
    .folders()
    .map(({ path }) => path)
    .sort(nameOrder(language));
  return (
    <div className={styles.filters}>
      <Select
        aria-label={t('search.folder')}
        value={folder}
        data-set={folder === '' ? undefined : ''}
        onChange={({ target }) => change({ folder: target.value })}
      >
        <option value="">{t('search.anyFolder')}</option>
        {folders.map((path) => (
          <option key={path}>{path}</option>
        ))}
      </Select>
      <Select
        aria-label={t('search.tag')}
        value={tag}
        data-set={tag === '' ? undefined : ''}
        onChange={({ target }) => change({ tag: target.value })}
      >
        <option value="">{t('search.anyTag')}</option>
        {tags.map(({ name }) => (
          <option key={name} value={name}>
            #{name}
          </option>
        ))}
      </Select>
      <Select
        aria-label={t('search.mode')}
        value={mode ?? ''}
        data-set={mode === undefined ? undefined : ''}
        onChange={({ target }) => change({ mode: target.value })}
      >
        <option value="">{t('search.hybrid')}</option>
        <option value="keyword">{t('search.keyword')}</option>
        <option value="vector">{t('search.vector')}</option>
      </Select>
      <Select
        aria-label={t('search.sort')}
        value={sort ?? ''}
        data-set={sort === undefined ? undefined : ''}
        onChange={({ target }) => change({ sort: target.value })}
      >
        <option value="">{t('search.sortBest')}</option>
        {SEARCH_SORTS.map((order) => (
          <option key={order} value={order}>
            {t(`search.sortBy.${order}`)}
          </option>
        ))}
      </Select>
    </div>
  );
}

import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { webhooks } from '../../calls.ts';
import { Panel } from '../../components/panel.tsx';
import { SupplierName, useSupplierNames } from '../../components/supplier-name.tsx';
import type { EnvironmentInUrl } from '../../searches.ts';
import { WEBHOOKS } from './webhooks-texts.ts';

const PAGE = 200;
const MAX_PAGES = 50;

/** The suppliers without an endpoint in an environment, who get no webhooks there. */
export function WithoutEndpoint({ environment }: { readonly environment: EnvironmentInUrl }) {
  const names = useSupplierNames();
  const query = useQuery({
    queryKey: ['accounts-with-endpoint', environment],
    // Up to 50 calls, so not polled.
    refetchInterval: false,
    queryFn: async ({ signal }) => {
      const having = new Set<string>();
      let pageToken = '';
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const answer = await webhooks.listEndpoints({ environment, pageSize: PAGE, pageToken }, { signal });
        for (const { endpoint } of answer.endpoints) if (endpoint) having.add(endpoint.accountId);
        pageToken = answer.nextPageToken;
        if (pageToken === '') return having;
      }
      return null;
    },
  });
  return (
    <Panel title={WEBHOOKS.withoutEndpoint} query={query}>
      {(having) => {
        if (having === null) return <Text c="dimmed">{WEBHOOKS.tooManyEndpoints}</Text>;
        const without = [...names.keys()].filter((accountId) => !having.has(accountId));
        if (without.length === 0) return <Text c="dimmed">{WEBHOOKS.allHaveEndpoint}</Text>;
        return (
          <Stack component="ul" className="items" gap={6}>
            {without.map((accountId) => (
              <li key={accountId}>
                <SupplierName accountId={accountId} tab="webhooks" />
              </li>
            ))}
          </Stack>
        );
      }}
    </Panel>
  );
}

import { Stack, Text } from '@mantine/core';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { useQuery } from '@tanstack/react-query';
import { firstPages, keyOf, webhooks } from '../../calls.ts';
import { Panel } from '../../components/panel.tsx';
import { SupplierName, useSupplierNames } from '../../components/supplier-name.tsx';
import type { EnvironmentInUrl } from '../../searches.ts';

const PAGE = 200;
const MAX_PAGES = 50;

/** The suppliers without an endpoint in an environment, who get no webhooks there. */
export function WithoutEndpoint({ environment }: { readonly environment: EnvironmentInUrl }) {
  const names = useSupplierNames();
  const query = useQuery({
    queryKey: keyOf(WebhookService.method.listEndpoints, { environment, pageSize: PAGE }),
    // Up to 50 calls, so not polled.
    refetchInterval: false,
    queryFn: async ({ signal }) => {
      const { pages, hasMore } = await firstPages(MAX_PAGES, (pageToken) =>
        webhooks.listEndpoints({ environment, pageSize: PAGE, pageToken }, { signal }),
      );
      if (hasMore) return null;
      return new Set(pages.flatMap(({ endpoints }) => endpoints.map(({ endpoint }) => endpoint?.accountId)));
    },
  });
  return (
    <Panel title="Suppliers without an endpoint" query={query}>
      {(having) => {
        if (having === null)
          return <Text c="dimmed">Not listed, because there are more than 10,000 endpoints.</Text>;
        const without = [...names.keys()].filter((accountId) => !having.has(accountId));
        if (without.length === 0)
          return <Text c="dimmed">Every supplier has an endpoint in this environment.</Text>;
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

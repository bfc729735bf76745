import type { ListedEndpoint } from '@supplier/proto/webhook/v1/webhook';

interface Page {
  readonly endpoints: readonly ListedEndpoint[];
  readonly nextPageToken: string;
}

/** The page token that begins the endpoints that aren't failing. */
const NOT_FAILING = 'not failing ';

/**
 * Returns a page of the endpoints in one state of health, or of all of them, failing ones first. The service can list
 * failing endpoints, but not the others.
 */
export async function endpointsByHealth(
  health: 'failing' | 'disabled' | undefined,
  pageToken: string,
  list: (part: {
    readonly failing: boolean;
    readonly disabled: boolean;
    readonly pageToken: string;
  }) => Promise<Page>,
): Promise<Page> {
  if (health !== undefined)
    return list({ failing: health === 'failing', disabled: health === 'disabled', pageToken });
  if (!pageToken.startsWith(NOT_FAILING)) {
    const { endpoints, nextPageToken } = await list({ failing: true, disabled: false, pageToken });
    return { endpoints, nextPageToken: nextPageToken || NOT_FAILING };
  }
  const after = pageToken.slice(NOT_FAILING.length);
  const { endpoints, nextPageToken } = await list({ failing: false, disabled: false, pageToken: after });
  return {
    endpoints: endpoints.filter(({ endpoint }) => !endpoint?.failingSince),
    nextPageToken: nextPageToken && `${NOT_FAILING}${nextPageToken}`,
  };
}

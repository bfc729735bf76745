/** The filter, which is a URL parameter. */
export interface WebhooksSearch {
  readonly health?: 'failing' | 'disabled';
}

/** Returns the valid filter of a URL. Anything else is dropped. */
export const webhooksSearch = ({ health }: Record<string, unknown>): WebhooksSearch =>
  health === 'failing' || health === 'disabled' ? { health } : {};

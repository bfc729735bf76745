import { join } from 'node:path';

/** The enquiry that the quickstart, the clients and the downloads send. */
export const EXAMPLE_ENQUIRY = join(import.meta.dirname, '../example/enquiry.json');

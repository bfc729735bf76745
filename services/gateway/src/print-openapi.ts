import { buildOpenApi } from './openapi/document.ts';
import { operations } from './operations.ts';

/** The provider that a gateway accepts by default. */
const USUAL_PROVIDER = 'screening_provider';

// Prints the document in the form in which it is committed.
process.stdout.write(`${JSON.stringify(buildOpenApi(operations, USUAL_PROVIDER), null, 2)}\n`);

import { buildOpenApi } from './openapi/document.ts';
import { operations } from './operations.ts';

/** The provider that a gateway accepts unless it is configured otherwise. */
const USUAL_PROVIDER = 'screening_provider';

// Run as a program: prints the document as it is committed.
process.stdout.write(`${JSON.stringify(buildOpenApi(operations, USUAL_PROVIDER), null, 2)}\n`);

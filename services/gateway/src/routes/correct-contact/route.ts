import { Scope } from '@supplier/proto/common/v1/principal';
import { checkBoth } from '../../validation/check-both.ts';
import { compileValidator } from '../../validation/validator.ts';
import { onBehalfOf } from '../on-behalf-of.ts';
import type { Operation } from '../operation.ts';
import { sendStatus } from '../send-answer.ts';
import { submissionIdIn } from '../submission-id.ts';
import { toCorrectContactRequest } from './mapping.ts';
import { correctContactReference } from './reference.ts';
import { correctContactSchema } from './schema.ts';

/**
 * Corrects working contact fields of a basic submission: 200 with the status object, also when the same key comes again
 * with the same body. Refused when another correction came first. Implements docs/contract.md, section 2.
 */
export const correctContact: Operation = {
  method: 'POST',
  path: '/v1/supplier-submissions/:submission_id/contact-corrections',
  anyScope: [Scope.CORRECT],
  reference: correctContactReference,
  prepare({ config, submission }) {
    const validate = compileValidator(correctContactSchema(config.screeningProvider));
    return async (request, reply) => {
      const [id, body] = checkBoth(
        () => submissionIdIn(request.params),
        () => validate(request.body),
      );
      const call = toCorrectContactRequest(id, body);
      return sendStatus(reply, 200, await submission.correctContact(call, onBehalfOf(request)));
    };
  },
};

import { Scope } from '@supplier/proto/common/v1/principal';
import { checkBoth } from '../../validation/check-both.ts';
import { compileValidator } from '../../validation/validator.ts';
import { onBehalfOf } from '../on-behalf-of.ts';
import type { Operation } from '../operation.ts';
import { sendStatus } from '../send-answer.ts';
import { submissionIdIn } from '../submission-id.ts';
import { toPromoteSubmissionRequest } from './mapping.ts';
import { promoteSubmissionReference } from './reference.ts';
import { promoteSubmissionSchema } from './schema.ts';

/**
 * Promotes an accepted basic submission to its one Application: 200 with the Application named, also when the same key
 * comes again with the same body. Implements docs/contract.md, section 2.
 */
export const promoteSubmission: Operation = {
  method: 'POST',
  path: '/v1/supplier-submissions/:submission_id/promotion',
  anyScope: [Scope.PROMOTE],
  reference: promoteSubmissionReference,
  prepare({ config, submission }) {
    const validate = compileValidator(promoteSubmissionSchema(config.screeningProvider));
    return async (request, reply) => {
      const [id, body] = checkBoth(
        () => submissionIdIn(request.params),
        () => validate(request.body),
      );
      const call = toPromoteSubmissionRequest(id, body);
      return sendStatus(reply, 200, await submission.promoteSubmission(call, onBehalfOf(request)));
    };
  },
};

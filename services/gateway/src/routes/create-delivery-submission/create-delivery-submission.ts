import { Scope } from '@supplier/proto/common/v1/principal';
import { Level } from '@supplier/proto/common/v1/status';
import { toCreateRequest } from '../../enquiry/to-create-request.ts';
import { compileValidator } from '../../validation/validator.ts';
import { levelFirst } from '../level-first.ts';
import { type Operation, onBehalfOf, sendStatus } from '../operation.ts';
import { createDeliverySubmissionReference } from './create-delivery-submission.reference.ts';
import { createDeliverySubmissionSchema } from './create-delivery-submission.schema.ts';

/**
 * Creates a basic submission on the delivery contract: returns 200 with the decision already made, new or replayed. Its
 * Application is created automatically afterwards, so the response may not name one yet. Implements docs/contract.md,
 * section 2.
 */
export const createDeliverySubmission: Operation = {
  method: 'POST',
  path: '/v2/supplier-submissions',
  anyScope: [Scope.CREATE_BASIC],
  reference: createDeliverySubmissionReference,
  prepare({ config, submission }) {
    const validate = levelFirst(
      'basic',
      compileValidator(createDeliverySubmissionSchema(config.screeningProvider)),
    );
    return async (request, reply) => {
      const call = toCreateRequest(Level.BASIC, validate(request.body));
      const answer = await submission.createSubmission(call, onBehalfOf(request));
      if (!answer.submission)
        throw new Error('invariant violated: no submission in the response to a create');
      return sendStatus(reply, 200, answer.submission);
    };
  },
};

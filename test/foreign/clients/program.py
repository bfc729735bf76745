import json
import os

from generated import AuthenticatedClient
from generated.api.submissions import create_submission, get_submission
from generated.models import CreateSubmissionRequest

given = json.loads(os.environ["GIVEN"])
client = AuthenticatedClient(base_url=given["baseUrl"], token=given["credential"])
enquiry = CreateSubmissionRequest.from_dict(given["enquiry"])
created = create_submission.sync_detailed(client=client, body=enquiry).parsed
read = get_submission.sync_detailed(created.submission_id, client=client).parsed
enquiry.funding_amount = 1
refused = create_submission.sync_detailed(client=client, body=enquiry)
print(
    json.dumps(
        {
            "created": str(created.submission_id),
            "read": str(read.submission_id),
            "refused": int(refused.status_code),
            "code": refused.parsed.error.code,
        }
    )
)

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.SubmissionsApi;
import org.openapitools.client.model.CreateSubmissionRequest;

public class Program {
  public static void main(String[] args) throws Exception {
    ObjectMapper mapper = ApiClient.createDefaultObjectMapper();
    JsonNode given = mapper.readTree(System.getenv("GIVEN"));
    String credential = given.get("credential").asText();
    ApiClient client = new ApiClient();
    client.updateBaseUri(given.get("baseUrl").asText());
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + credential));
    SubmissionsApi submissions = new SubmissionsApi(client);

    CreateSubmissionRequest enquiry = mapper.treeToValue(given.get("enquiry"), CreateSubmissionRequest.class);
    Map<String, Object> answer = new LinkedHashMap<>();
    var created = submissions.createSubmission(enquiry, null);
    answer.put("created", created.getSubmissionId());
    answer.put("read", submissions.getSubmission(created.getSubmissionId(), null).getSubmissionId());
    try {
      submissions.createSubmission(enquiry.fundingAmount(1), null);
    } catch (ApiException refused) {
      answer.put("refused", refused.getCode());
      answer.put("code", mapper.readTree(refused.getResponseBody()).at("/error/code").asText());
    }
    System.out.println(mapper.writeValueAsString(answer));
  }
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

type given struct {
	BaseUrl    string
	Credential string
	Enquiry    CreateSubmissionRequest
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	var it given
	must(json.Unmarshal([]byte(os.Getenv("GIVEN")), &it))
	ctx := context.Background()
	client, err := NewClientWithResponses(it.BaseUrl, WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+it.Credential)
			return nil
		}))
	must(err)
	created, err := client.CreateSubmissionWithResponse(ctx, nil, it.Enquiry)
	must(err)
	if created.JSON202 == nil {
		panic(string(created.Body))
	}
	read, err := client.GetSubmissionWithResponse(ctx, created.JSON202.SubmissionId, nil)
	must(err)
	it.Enquiry.FundingAmount = 1
	refused, err := client.CreateSubmissionWithResponse(ctx, nil, it.Enquiry)
	must(err)
	answer, err := json.Marshal(map[string]any{
		"created": created.JSON202.SubmissionId,
		"read":    read.JSON200.SubmissionId,
		"refused": refused.StatusCode(),
		"code":    refused.JSON422.Error.Code,
	})
	must(err)
	fmt.Println(string(answer))
}

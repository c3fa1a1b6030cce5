// Package clickhouse keeps a fleet in a ClickHouse, from 18.16, over HTTP. The user and the password are sent in a
// header, to the server that the user names alone: redirections are not followed.
//
// A batch is inserted table by table, recordings last. The rows of a recording without a row in recordings answer no
// question, so a lost connection leaves nothing half: adding the recording again completes it. Rows are keyed by the
// content of files, and what was inserted twice changes no answer.
package clickhouse

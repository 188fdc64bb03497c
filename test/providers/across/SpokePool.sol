// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IToken, Payments} from "./Payments.sol";

interface IHandler {
    function handleV3AcrossMessage(address token, uint256 amount, address relayer, bytes calldata message) external;
}

struct RelayData {
    bytes32 depositor;
    bytes32 recipient;
    bytes32 exclusiveRelayer;
    bytes32 inputToken;
    bytes32 outputToken;
    uint256 inputAmount;
    uint256 outputAmount;
    uint256 originChainId;
    uint256 depositId;
    uint32 fillDeadline;
    uint32 exclusivityDeadline;
    bytes message;
}

struct RelayExecution {
    bytes32 updatedRecipient;
    bytes32 updatedMessageHash;
    uint256 updatedOutputAmount;
    uint8 fillType;
}

/// @notice Stands in for Across' SpokePool, written from its documented behaviour: what a depositor and a relayer see of
/// it. No admin, no refunds, no slow fills, no updates by signature.
contract SpokePool is Payments {
    error InvalidQuoteTimestamp();
    error InvalidFillDeadline();
    error InvalidExclusiveRelayer();
    error MsgValueDoesNotMatchInputAmount();
    error ExpiredFillDeadline();
    error NotExclusiveRelayer();
    error RelayFilled();

    event FundsDeposited(
        bytes32 inputToken,
        bytes32 outputToken,
        uint256 inputAmount,
        uint256 outputAmount,
        uint256 indexed destinationChainId,
        uint256 indexed depositId,
        uint32 quoteTimestamp,
        uint32 fillDeadline,
        uint32 exclusivityDeadline,
        bytes32 indexed depositor,
        bytes32 recipient,
        bytes32 exclusiveRelayer,
        bytes message
    );
    event FilledRelay(
        bytes32 inputToken,
        bytes32 outputToken,
        uint256 inputAmount,
        uint256 outputAmount,
        uint256 repaymentChainId,
        uint256 indexed originChainId,
        uint256 indexed depositId,
        uint32 fillDeadline,
        uint32 exclusivityDeadline,
        bytes32 exclusiveRelayer,
        bytes32 indexed relayer,
        bytes32 depositor,
        bytes32 recipient,
        bytes32 messageHash,
        RelayExecution relayExecutionInfo
    );

    uint32 private constant LONGEST_OFFSET = 31_536_000;
    uint256 private constant FILLED = 2;

    address private immutable wrappedNativeToken;
    uint32 private immutable depositQuoteTimeBuffer;
    uint32 private immutable fillDeadlineBuffer;
    uint256 private numberOfDeposits = 1;
    mapping(bytes32 relayHash => uint256 state) public fillStatuses;

    constructor(address wrappedNative, uint32 quoteTimeBuffer, uint32 deadlineBuffer) {
        wrappedNativeToken = wrappedNative;
        depositQuoteTimeBuffer = quoteTimeBuffer;
        fillDeadlineBuffer = deadlineBuffer;
    }

    receive() external payable {}

    function deposit(
        bytes32 depositor,
        bytes32 recipient,
        bytes32 inputToken,
        bytes32 outputToken,
        uint256 inputAmount,
        uint256 outputAmount,
        uint256 destinationChainId,
        bytes32 exclusiveRelayer,
        uint32 quoteTimestamp,
        uint32 fillDeadline,
        uint32 exclusivityParameter,
        bytes calldata message
    ) external payable {
        if (quoteTimestamp > block.timestamp || block.timestamp - quoteTimestamp > depositQuoteTimeBuffer) {
            revert InvalidQuoteTimestamp();
        }
        if (fillDeadline > block.timestamp + fillDeadlineBuffer) revert InvalidFillDeadline();
        if (exclusivityParameter != 0 && exclusiveRelayer == 0) revert InvalidExclusiveRelayer();
        _take(_address(inputToken), inputAmount);
        uint32 exclusivityDeadline = exclusivityParameter != 0 && exclusivityParameter <= LONGEST_OFFSET
            ? exclusivityParameter + uint32(block.timestamp)
            : exclusivityParameter;
        emit FundsDeposited(
            inputToken,
            outputToken,
            inputAmount,
            outputAmount,
            destinationChainId,
            numberOfDeposits++,
            quoteTimestamp,
            fillDeadline,
            exclusivityDeadline,
            depositor,
            recipient,
            exclusiveRelayer,
            message
        );
    }

    function fillRelay(RelayData calldata relay, uint256 repaymentChainId, bytes32 repaymentAddress) external {
        if (relay.exclusivityDeadline >= block.timestamp && _address(relay.exclusiveRelayer) != msg.sender) {
            revert NotExclusiveRelayer();
        }
        if (relay.fillDeadline < block.timestamp) revert ExpiredFillDeadline();
        bytes32 relayHash = getV3RelayHash(relay);
        if (fillStatuses[relayHash] == FILLED) revert RelayFilled();
        fillStatuses[relayHash] = FILLED;
        _report(relay, repaymentChainId, repaymentAddress);
        address recipient = _address(relay.recipient);
        _deliver(_address(relay.outputToken), recipient, relay.outputAmount);
        if (relay.message.length != 0 && recipient.code.length != 0) {
            address token = _address(relay.outputToken);
            IHandler(recipient).handleV3AcrossMessage(token, relay.outputAmount, msg.sender, relay.message);
        }
    }

    function getV3RelayHash(RelayData memory relay) public view returns (bytes32) {
        return keccak256(abi.encode(relay, block.chainid));
    }

    function _report(RelayData calldata relay, uint256 repaymentChainId, bytes32 repaymentAddress) private {
        bytes32 messageHash = relay.message.length == 0 ? bytes32(0) : keccak256(relay.message);
        emit FilledRelay(
            relay.inputToken,
            relay.outputToken,
            relay.inputAmount,
            relay.outputAmount,
            repaymentChainId,
            relay.originChainId,
            relay.depositId,
            relay.fillDeadline,
            relay.exclusivityDeadline,
            relay.exclusiveRelayer,
            repaymentAddress,
            relay.depositor,
            relay.recipient,
            messageHash,
            RelayExecution(relay.recipient, messageHash, relay.outputAmount, 0)
        );
    }

    function _take(address token, uint256 amount) private {
        if (msg.value == 0) {
            _transferFrom(token, msg.sender, address(this), amount);
        } else {
            if (token != wrappedNativeToken || msg.value != amount) revert MsgValueDoesNotMatchInputAmount();
            IToken(token).deposit{value: amount}();
        }
    }

    /// @dev Wrapped native reaches an account without code unwrapped.
    function _deliver(address token, address to, uint256 amount) private {
        bool unwrap = token == wrappedNativeToken && to.code.length == 0;
        address first = token == wrappedNativeToken ? address(this) : to;
        _transferFrom(token, msg.sender, first, amount);
        if (first == to) return;
        if (!unwrap) return _transfer(token, to, amount);
        IToken(token).withdraw(amount);
        (bool ok,) = to.call{value: amount}("");
        require(ok);
    }

    function _address(bytes32 word) private pure returns (address) {
        require(uint256(word) >> 160 == 0);
        return address(uint160(uint256(word)));
    }
}
